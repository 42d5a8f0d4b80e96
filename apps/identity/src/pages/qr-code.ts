// A QR code as SVG inside the page: pictures from elsewhere are forbidden by its policy. Dark on light in both colour
// schemes, because some readers take no other.
import { encode } from 'uqr';
import { Markup, markup } from '@tradewind/service-kit';

/** The quiet zone that the standard asks for, in modules. */
const border = 4;

export function qrCode(text: string, label: string): Markup {
  const { data, size } = encode(text, { ecc: 'M', border });
  const modules = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return markup`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">
      <rect width="${size}" height="${size}" fill="#fff"/><path d="${new Markup(modules.join(''))}" fill="#000"/>
    </svg>`;
}
