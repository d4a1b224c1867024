import type { SiteConfig } from '@hufu/contract/site'

/** What runs calls `hacked`; what breaks out of a style hides the page. */
const texts = [
  '"><script>hacked()</script>',
  '</title><script>hacked()</script>',
  "'><img src=x onerror=hacked()>",
  '" onload="hacked()" autofocus x="',
  '</html><svg/onload=hacked()>',
  '-->]]><iframe srcdoc="<script>top.hacked()">',
  '{{name}}{{icon}}',
  '$'.concat('{hacked()}'),
  "$&$`$'$1$<name>",
  '&lt;script&gt;&#60;script&#62;',
  'javascript:hacked()//',
  '</style><style>*{display:none}</style>',
  '}*{display:none!important}',
  '\u202e虎符\u2066\u200b\ufeff',
  '\\u003cscript\\u003ehacked()',
  'Ẁ̷̢̛́'.repeat(5),
  'W'.repeat(40),
  '青'.repeat(40),
  '👩‍👩‍👧‍👦'.repeat(3),
  ' ',
  '\u2028\u2029\n\r\t"',
]

const addresses = [
  'https://a.example/x.png");}*{display:none}/*',
  "https://a.example/x.png');}*{display:none}/*",
  'https://a.example/"onerror="hacked()',
  'https://a.example/x.png" onload="hacked()" x="',
  'https://a.example/</style><script>hacked()</script>',
  'https://a.example/\\");}*{display:none}/*',
  'https://a.example/x.png\n);}*{display:none}',
  'https://a.example/{{name}}$&',
  'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" onload="hacked()"><script>hacked()</script></svg>',
  'data:text/html,<script>hacked()</script>',
  'javascript:hacked()',
  'https://a.example/url(javascript:hacked())',
]

const colours = [
  '#fff',
  '#000',
  'red;}*{display:none}',
  '#5374fa;background:url(//a.example)',
  'url(javascript:hacked())',
]

/** Where a hostile value may stand in a config, and which. */
export const places: Record<string, { values: string[]; write(value: string): SiteConfig }> = {
  name: { values: texts, write: (name) => ({ name }) },
  icp: { values: texts, write: (icp) => ({ icp, police: icp }) },
  agreements: {
    values: [...texts.slice(0, 6), ...addresses],
    write: (terms) => ({ agreements: { terms, privacy: terms, version: terms.slice(0, 40) || '1' } }),
  },
  site: { values: addresses, write: (site) => ({ site, support: site }) },
  logoIcon: { values: addresses, write: (logoIcon) => ({ logoIcon }) },
  logoImage: { values: addresses, write: (logoImage) => ({ logoImage }) },
  bg: { values: addresses, write: (bg) => ({ bg, vbg: bg }) },
  theme: { values: colours, write: (primary) => ({ theme: { primary } }) },
}
