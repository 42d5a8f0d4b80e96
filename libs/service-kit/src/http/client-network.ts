// Which callers share a limit by address. An IPv4 address is one caller. An IPv6 subscriber gets at least a /64 and may
// use every address in it, so all of a /64 count as one caller.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The key of all text that is not an address: it shares one window. */
export const unknownNetwork = 'unknown';

/** Longer than any address: IPv4 within IPv6, with brackets and the name of an interface. */
const addressLengthMax = 100;
const prefixBytes = 8;

/**
 * The key under which limits count a caller's address: `203.0.113.7`, `2001:db8:1:2::/64` or `unknown`.
 * IPv4-mapped and NAT64 addresses count as the IPv4 address that they hold.
 */
export function clientNetwork(address: string | undefined): string {
  if (address === undefined || address.length > addressLengthMax) return unknownNetwork;
  const text = address.startsWith('[') && address.endsWith(']') ? address.slice(1, -1) : address;
  // The parser below also accepts "127.1" and plain numbers.
  const version = isIP(text);
  if (version === 0) return unknownNetwork;
  if (version === 4) return text;
  const [withoutZone = text] = text.split('%', 1);
  const parsed = ipaddr.IPv6.parse(withoutZone);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  const bytes = parsed.toByteArray();
  if (parsed.range() === 'rfc6052') return new ipaddr.IPv4(bytes.slice(-4)).toString();
  const network = new ipaddr.IPv6([
    ...bytes.slice(0, prefixBytes),
    ...Array<number>(bytes.length - prefixBytes).fill(0),
  ]);
  return `${network.toString()}/64`;
}
