import { expect, it } from '@jest/globals';
import { freePort } from '@tradewind/testkit';
import { createTransport } from 'nodemailer';
import { LocalMail, mailPage } from './mail-page.js';

it('escapes whatever a mail says, and links nothing but addresses of the web', () => {
  const text = 'javascript:alert(1) https://id.example/?a="><script>x</script> <b>';
  const mail = { from: '<f>', to: ['<t>'], subject: '<s>', text, headers: [], receivedAt: new Date(0) };
  const page = mailPage([mail]);
  expect(page).not.toMatch(/<script|<b>|<s>|<t>|<f>/);
  expect(page.match(/href="[^"]*"/g)).toEqual([
    'href="https://id.example/?a=&#34;&#62;&#60;script&#62;x&#60;/script&#62;"',
  ]);
});

it('lists a mail that was sent to it, and answers no foreign host name', async () => {
  const [page, smtp] = [await freePort(), await freePort()];
  const mail = await LocalMail.start({ page, smtp });
  try {
    await createTransport({ url: `smtp://127.0.0.1:${smtp}` }).sendMail({
      ...{ from: 'a@example.com', to: 'b@example.com', subject: 'Hello', text: 'https://id.example/link' },
    });
    const answer = await fetch(`http://127.0.0.1:${page}/`);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(await answer.text()).toContain('<a href="https://id.example/link">');
    expect((await fetch(`http://127.0.0.1:${page}/other`)).status).toBe(404);
  } finally {
    await mail.stop();
  }
});
