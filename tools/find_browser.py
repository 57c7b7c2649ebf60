"""Says which browser will be used; where there is none, what to do, and ends with 1."""

import sys

from ipfs_accelerate.browsers import find_browser
from ipfs_accelerate.errors import BrowserError

try:
    print(find_browser().path)
except BrowserError as error:
    sys.exit(str(error))
