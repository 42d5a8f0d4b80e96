import { describe, expect, it } from '@jest/globals';
import { Markup, markup } from './markup.js';

describe('markup', () => {
  it('escapes every value, but not markup', () => {
    const hostile = `<b a="1" c='2'>&`;
    expect(markup`<p title="${hostile}">${hostile}</p>`.text).toBe(
      '<p title="&#60;b a=&#34;1&#34; c=&#39;2&#39;&#62;&#38;">&#60;b a=&#34;1&#34; c=&#39;2&#39;&#62;&#38;</p>',
    );
    expect(markup`${markup`<i>${'<'}</i>`}${new Markup('<br>')}`.text).toBe('<i>&#60;</i><br>');
  });

  it('joins lists and leaves out absent values', () => {
    expect(markup`${[markup`<li>`, '<', 1]}${undefined}${false}`.text).toBe('<li>&#60;1');
  });
});
