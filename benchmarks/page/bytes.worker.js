/** Keeps the last bytes that came and says so, or sends them back where four bytes ask for them. */
const socket = new WebSocket(`ws://${location.host}/socket`);
socket.binaryType = "arraybuffer";
let kept = new ArrayBuffer(0);
socket.onmessage = ({ data }) => {
  if (data.byteLength === 4) {
    socket.send(kept);
    return;
  }
  kept = data;
  socket.send(new Uint8Array(1));
};
