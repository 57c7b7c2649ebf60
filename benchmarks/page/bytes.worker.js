/** Keeps the last bytes that came and says so, or sends them back where it is asked in text. */
const socket = new WebSocket(`ws://${location.host}/socket`);
socket.binaryType = "arraybuffer";
let kept = new ArrayBuffer(0);
socket.onmessage = ({ data }) => {
  if (typeof data === "string") {
    socket.send(kept);
    return;
  }
  kept = data;
  socket.send("kept");
};
