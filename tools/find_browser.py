"""Says which browser will be used; where there is none, what to do, and ends with 1.

With --every: the names of all that are here.
"""

import sys

from ipfs_accelerate.browsers import find_browser, installed_browsers
from ipfs_accelerate.errors import BrowserError

if sys.argv[1:] == ["--every"]:
    print(*(browser.name for browser in installed_browsers()))
    sys.exit()
try:
    print(find_browser().path)
except BrowserError as error:
    sys.exit(str(error))
