/** The style sheet of the page, for wide and narrow windows. */

export const style = `
:root { color-scheme: light dark; --line: #d1d5db; --soft: #f3f4f6; --ink: #111827; --paper: #fff; --blue: #1d4ed8; --red: #b91c1c; --green: #15803d }
@media (prefers-color-scheme: dark) {
  :root { --line: #4b5563; --soft: #1f2937; --ink: #f3f4f6; --paper: #111827; --blue: #60a5fa; --red: #f87171; --green: #4ade80 }
}
* { box-sizing: border-box }
body { margin: 0; font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--soft) }
header, main { max-width: 72rem; margin: 0 auto; padding: .75rem 1rem }
h1 { font-size: 1.3rem; margin: 0 }
h2 { font-size: 1.05rem; margin: 0 0 .5rem }
h3 { font-size: 1rem; margin: 0 }
#status { margin: .25rem 0 0; min-height: 1.45em }
section { background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; margin-bottom: 1rem }
label { display: block }
input, select, textarea, button { font: inherit; color: inherit; max-width: 100% }
input, select, textarea { width: 100%; padding: .35rem .5rem; border: 1px solid var(--line); border-radius: .25rem; background: var(--paper) }
textarea { font-family: ui-monospace, monospace; font-size: .85rem }
.row { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .5rem; margin: .5rem 0 }
.check input { width: auto }
button { padding: .35rem .7rem; border: 1px solid var(--blue); border-radius: .25rem; background: none; color: var(--blue); cursor: pointer }
button[type=submit] { margin-top: .5rem }
button:disabled { opacity: .5; cursor: default }
:focus-visible { outline: 2px solid var(--blue); outline-offset: 1px }
#enterprises { margin: 0; padding-left: 1.1rem }
#phones { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(21rem, 100%), 1fr)); gap: .75rem }
article { border: 1px solid var(--line); border-radius: .5rem; padding: .75rem; overflow-wrap: anywhere }
article p { margin: .25rem 0 }
.buttons { display: flex; flex-wrap: wrap; gap: .4rem; margin-top: .5rem; align-items: center }
.buttons + .check { margin-top: .5rem }
.buttons select { width: auto; flex: 1 1 9rem }
.good { color: var(--green) }
.bad { color: var(--red) }
code { font-size: .85rem }
`
