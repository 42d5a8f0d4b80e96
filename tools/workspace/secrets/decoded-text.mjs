// A secret may be written in another form: escaped in JSON, percent-encoded in an address, or in base64.

/** Shorter runs hold no secret that is worth a search, and are often words. */
const base64Runs = /[\w+/-]{24,}={0,2}/g;
/** A text in JSON in a log line of JSON, and one more. */
const layersMax = 3;
/** Printable ASCII: what a decoded secret consists of, and what random bytes almost never are. */
const printable = /^[\t\n\r -~]+$/;

/**
 * The text with each line decoded, and the content of its base64 runs at its end. Lines keep
 * their numbers. Undefined when there is nothing to decode.
 */
export function decodedText(text) {
  let isChanged = false;
  const lines = text.split('\n').map((line) => {
    const decoded = decodedLine(line);
    isChanged ||= decoded !== line;
    return decoded;
  });
  return isChanged ? lines.join('\n') : undefined;
}

function decodedLine(line) {
  let text = line;
  for (let layer = 0; layer < layersMax && text.includes('\\'); layer += 1) text = unescaped(text);
  const plain = percentDecoded(text);
  const contents = [...plain.matchAll(base64Runs)].flatMap(([run]) => {
    const content = Buffer.from(run, 'base64').toString('latin1');
    return printable.test(content) ? [content] : [];
  });
  return [plain, ...contents].join(' ').replaceAll(/[\n\r]+/g, ' ');
}

/** Without the escapes of JSON strings. */
function unescaped(line) {
  return line.replaceAll(/\\(?:u([0-9a-f]{4})|(.))/gi, (_escape, code, character) =>
    code === undefined ? ('nrt'.includes(character) ? ' ' : character) : String.fromCharCode(parseInt(code, 16)),
  );
}

function percentDecoded(line) {
  return line.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('latin1'),
  );
}
