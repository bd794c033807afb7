/** Reads stacks of PHP. In a chain of errors (`Next …`), the first one determines the group. */
import { type Frame, fileStem, type ParsedStack, readHeader } from './frame.ts'
import { isAppPhp } from './in-app.ts'

export function readPhp(lines: readonly string[]): ParsedStack {
  const next = lines.findIndex((line) => line.startsWith('Next '))
  const own = next < 0 ? lines : lines.slice(0, next)
  return {
    ...readHeader(withoutLevel(own[0] ?? '')),
    is_cause: next >= 0,
    frames: own.flatMap((line) => readFrame(line.trim())),
  }
}

/** Recognizes `#0 /srv/Cart.php(12): Cart->add(Array)`, `#1 [internal function]: …`, `#2 {main}`. */
export const isPhpFrame = (text: string): boolean =>
  text.includes('): ') || text.includes(' [internal function]: ') || text.endsWith(' {main}')

function withoutLevel(line: string): string {
  const uncaught = line.indexOf('Uncaught ')
  return uncaught < 0 ? line : line.slice(uncaught + 9)
}

function readFrame(text: string): Frame[] {
  if (!text.startsWith('#')) return []
  const colon = text.indexOf(': ')
  if (colon < 0) return []
  const place = text.slice(text.indexOf(' ') + 1, colon)
  const open = place.lastIndexOf('(')
  const path = open < 0 ? place : place.slice(0, open)
  return [
    {
      place: isAppPhp(path) ? fileStem(path) : '',
      name: callName(text.slice(colon + 2)),
      is_app: isAppPhp(path),
    },
  ]
}

/** Shortens `App\Shop\Cart->add('x')` to `Cart->add`. */
function callName(call: string): string {
  if (call.includes('{closure')) return '{closure}'
  const open = call.indexOf('(')
  const name = open < 0 ? call : call.slice(0, open)
  return name.slice(name.lastIndexOf('\\') + 1)
}
