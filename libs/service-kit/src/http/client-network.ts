// Which callers share a limit that counts by address. An IPv4 address is one caller. Of IPv6 every subscriber gets a /64
// at least and may use any address of it, so a limit by address would be no limit.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** All text that is no address: whoever sends such text gets no window of its own. */
export const unknownNetwork = 'unknown';

/** The longest address, IPv4 within IPv6, with brackets and the name of an interface. */
const addressLengthMax = 100;
const prefixBytes = 8;

/**
 * The key under which limits count a caller's address: `203.0.113.7`, `2001:db8:1:2::/64` or `unknown`.
 * IPv4-mapped and NAT64 addresses count as the IPv4 address that they hold.
 */
export function clientNetwork(address: string | undefined): string {
  if (address === undefined || address.length > addressLengthMax) return unknownNetwork;
  const text = address.startsWith('[') && address.endsWith(']') ? address.slice(1, -1) : address;
  // The parser below takes more than addresses, "127.1" and plain numbers for example.
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
