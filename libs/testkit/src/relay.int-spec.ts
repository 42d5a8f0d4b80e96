import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { Relay } from './relay.js';

const open: { close: () => unknown }[] = [];
afterEach(() => open.splice(0).forEach((one) => one.close()));

it('passes each byte once, however often it is told to hang or to resume', async () => {
  const echo = net.createServer((connection) => connection.pipe(connection));
  await once(echo.listen(0, '127.0.0.1'), 'listening');
  // The address of a server that listens on a port.
  const relay = await Relay.to(new URL(`http://127.0.0.1:${(echo.address() as AddressInfo).port}`));
  open.push(relay, echo);
  const socket = net.connect(relay.port, '127.0.0.1');
  let received = '';
  const answered = async (text: string) => {
    socket.write(text);
    while (!received.endsWith(text)) received += String((await once(socket, 'data'))[0]);
  };
  await answered('one ');
  relay.resume();
  await answered('two ');
  relay.hang();
  relay.hang();
  relay.resume();
  relay.resume();
  await answered('three ');
  await answered('four');
  expect(received).toBe('one two three four');
});
