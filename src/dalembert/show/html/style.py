"""How fragments and pages look. No colour tells what a word does not."""

from __future__ import annotations

# A fragment takes its colours from the page around it, a notebook's light or dark theme.
FRAGMENT = """
.dalembert{line-height:1.45;max-width:66rem;overflow-wrap:break-word}
.dalembert h3{font-size:1.05em;margin:.7em 0 .3em}
.dalembert p{margin:.4em 0}
.dalembert .figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,15.5rem),1fr));
gap:.6rem 1rem;margin:.5rem 0}
.dalembert figure{margin:0;break-inside:avoid}
.dalembert figure>svg{width:100%;height:auto;max-width:30rem;display:block}
.dalembert svg text{font-family:inherit}
.dalembert figcaption{font-size:.85em;margin-top:.1em}
.dalembert .legend{display:block}
.dalembert .key{margin-right:1em;white-space:nowrap;display:inline-block}
.dalembert .swatch{vertical-align:middle;margin-right:.35em}
.dalembert .wide{overflow-x:auto}
.dalembert table{border-collapse:collapse;margin:.4em 0;font-size:.9em;text-align:left;
font-variant-numeric:tabular-nums}
.dalembert caption{text-align:left;font-weight:bold;padding:.2em 0}
.dalembert th,.dalembert td{padding:.18em .9em .18em 0;vertical-align:baseline;text-align:left;background:none;
color:inherit}
.dalembert tr{background:none}
.dalembert thead th{border-bottom:1px solid currentColor}
.dalembert tbody th{font-weight:normal}
.dalembert tbody tr+tr>*{border-top:1px solid color-mix(in srgb,currentColor 18%,transparent)}
.dalembert ul{margin:.2em 0;padding-left:1.3em}
.dalembert .small,.dalembert .notes{font-size:.88em}
.dalembert .light{border:2px solid;border-radius:1em;padding:0 .65em;font-weight:bold;white-space:nowrap}
.dalembert .light.ok{border-color:#009e73}
.dalembert .light.suspect{border-color:#d08a00;border-style:dashed}
.dalembert .light.failed{border-color:#d55e00;border-style:double;border-width:4px}
.dalembert .eq{margin:.1em 0;padding:.12em 0 .12em 1.6em;text-indent:-1.6em;overflow-x:auto;overflow-y:hidden}
.dalembert .term{display:inline-block;padding:.22em 0;text-indent:0;vertical-align:baseline}
.dalembert .term .term,.dalembert th .term{padding:0}
.dalembert .eq .name{font-size:.85em;opacity:.8;margin-left:1.2em}
.dalembert .reaction,.dalembert .rate,.dalembert .extra{padding:.12em .2em;text-indent:0}
.dalembert .reaction,.dalembert .rate{border-bottom:2px solid #2a78d6}
.dalembert .extra{border-bottom:4px double #d55e00;background:color-mix(in srgb,#d55e00 13%,transparent)}
.dalembert .tex{font-size:.85em;overflow-wrap:anywhere;white-space:pre-wrap}
.dalembert details{margin:.4em 0}
.dalembert summary{cursor:pointer}
.dalembert pre{overflow-x:auto;font-size:.85em;padding:.5em .7em;
border:1px solid color-mix(in srgb,currentColor 25%,transparent)}
"""

# A page of its own chooses them.
PAGE = """
:root{color-scheme:light dark;--ground:#ffffff;--ink:#1b1b1b;--faint:#5a5a5a}
@media(prefers-color-scheme:dark){:root{--ground:#141518;--ink:#e6e6e6;--faint:#a8a8a8}}
html{background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,"Segoe UI",Roboto,"Noto Sans",sans-serif}
body{margin:0 auto;padding:1.2rem clamp(.9rem,4vw,2.5rem) 3rem;max-width:70rem}
h1{font-size:1.6rem;line-height:1.2;margin:.2em 0 .3em;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:1.8em 0 .4em;padding-bottom:.15em;
border-bottom:1px solid color-mix(in srgb,currentColor 30%,transparent)}
a{color:inherit}
body nav ul{list-style:none;padding:0!important;display:flex;flex-wrap:wrap;gap:.2em 1em;font-size:.9em}
.verdict{font-size:1.05rem;border-left:4px solid #2a78d6;padding:.3em .8em;margin:.8em 0}
.sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:0 2.5rem}
.sides>*{min-width:0}
footer{margin-top:2.5em;font-size:.85em;color:var(--faint)}
@media print{html{background:#fff;color:#000;
font-size:10.5pt}nav{display:none}details::details-content{content-visibility:visible;display:block;height:auto}
h2,h3,caption{break-after:avoid}tr{break-inside:avoid}.wide,.eq{overflow:visible}
.dalembert .figures{grid-template-columns:repeat(2,1fr)}}
"""
