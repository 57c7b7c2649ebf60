import { dial } from "ipfs-accelerate-js";
import { lockFree } from "./engine.ts";
import { settingsIn } from "./settings.ts";
import { Supervisor } from "./supervisor.ts";
import { show } from "./view.ts";

const settings = settingsIn(location);
// The token is not to stay where a person, or the browser's history, keeps it.
history.replaceState(null, "", location.pathname);
if (settings) {
  new Supervisor(settings, {
    startWorker: () => new Worker("engine.js", { type: "module", name: "engine" }),
    dial: () => dial(settings.server, "page"),
    lockFree,
    show,
  });
} else {
  show("opened without a host; a host opens this page by itself", []);
}
