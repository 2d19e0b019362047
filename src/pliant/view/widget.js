// The viewer in a notebook: the page in a frame; what it asks goes to Python, and the answers back.
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.title = "pliant viewer";
  frame.setAttribute("sandbox", "allow-scripts allow-downloads allow-popups");
  frame.style.cssText = `width: 100%; height: ${model.get("height")}px; border: 1px solid #8884; border-radius: 10px`;
  const asked = (event) => {
    if (event.source !== frame.contentWindow || event.data?.pliant !== "ask") return;
    const { pliant, ...question } = event.data;
    model.send(question);
  };
  const answered = (message, buffers) => {
    const data = buffers?.[0];
    const bytes = data && (data.buffer ? data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) : data);
    frame.contentWindow?.postMessage({ pliant: "answer", id: message.id, error: message.error, data: bytes }, "*");
  };
  window.addEventListener("message", asked);
  model.on("msg:custom", answered);
  frame.srcdoc = model.get("page");
  el.append(frame);
  return () => {
    window.removeEventListener("message", asked);
    model.off("msg:custom", answered);
  };
}

export default { render };
