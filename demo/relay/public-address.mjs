// Which IP addresses lie on the public internet; Node.
import { BlockList, isIP } from "node:net";

/** Everything that IANA lists as not globally reachable, or that leads somewhere else inside. */
const special = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
]) {
  special.addSubnet(network, bits, "ipv4");
}
for (const [network, bits] of [
  ["2001::", 23], // protocol assignments, Teredo among them: it carries an IPv4 address
  ["2001:db8::", 32],
  ["2002::", 16], // 6to4: carries an IPv4 address
  ["3fff::", 20],
]) {
  special.addSubnet(network, bits, "ipv6");
}

const globalUnicast = new BlockList();
globalUnicast.addSubnet("2000::", 3, "ipv6");

/**
 * True for an address that a stranger may be sent to. Every IPv6 address outside 2000::/3 is not: loopback, link-local,
 * unique local, multicast, and the forms that map or translate IPv4.
 *
 * @param {string} address
 */
export function isPublicAddress(address) {
  const family = isIP(address);
  if (family === 4) return !special.check(address, "ipv4");
  return family === 6 && globalUnicast.check(address, "ipv6") && !special.check(address, "ipv6");
}
