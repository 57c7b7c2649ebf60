// onnxruntime's glue for WebNN writes a function as text and has it evaluated. The page's policy
// allows no such thing, so that one line is replaced by a closure that does the same.
const EVALUATED =
  /(\w+)=\(new Function\(Object\.keys\((\w+)\),\w+\)\)\(\.\.\.Object\.values\(\2\)\);/g;

/** What calls a JavaScript function for C++: 0 calls, 1 a method, 2 constructs, 3 only converts. */
const CALLER = `
function __callerOf(kind, parts) {
  const readers = Object.keys(parts)
    .filter((name) => name.startsWith("argFromPtr"))
    .map((name) => parts[name]);
  const call = (handle, method, given) => {
    if (kind === 3) return given.at(-1);
    const value = parts.toValue(handle);
    if (kind === 0) return value(...given);
    if (kind === 2) return new value(...given);
    return value[parts.getStringOrSymbol(method)](...given);
  };
  return function (handle, method, destructors, args) {
    const given = readers.map((read, at) => read(args + 8 * at));
    const result = call(handle, method, given);
    if (parts.toReturnWire) {
      return parts.emval_returnValue(parts.toReturnWire, destructors, result);
    }
  };
}
`;

/** The glue's text without evaluation; an error where it is not as it was known to be. */
export function withoutEval(text) {
  const found = [...text.matchAll(EVALUATED)];
  const [match] = found;
  if (found.length !== 1 || text.split("new Function").length !== 2) {
    throw new Error("onnxruntime's glue has changed: look where it evaluates text now.");
  }
  const [whole, name, parts] = match;
  return text.replace(whole, `${name}=__callerOf(${name},${parts});`) + CALLER;
}
