/**
 * Reads tracebacks of Python. The most recent call is last, so frames are reversed. The group is
 * determined by a direct cause (`raise … from`), but by the later of two errors if one occurred while
 * the other was handled.
 */
import { type Frame, fileStem, type ParsedStack, readHeader } from './frame.ts'
import { isAppPython } from './in-app.ts'

type Block = {
  header: { type: string; message: string } | undefined
  frames: Frame[]
  follows: string
}

export function readPython(lines: readonly string[]): ParsedStack {
  const blocks: Block[] = []
  let follows = ''
  for (const line of lines) {
    const text = line.trim()
    const block = blocks.at(-1)
    if (text.startsWith('Traceback (most recent call last)')) {
      blocks.push({ header: undefined, frames: [], follows })
      follows = ''
    } else if (text.startsWith('The above exception was the direct cause')) follows = 'cause'
    else if (text.startsWith('During handling of the above')) follows = 'context'
    else if (text.startsWith('File "')) {
      if (block === undefined) blocks.push({ header: undefined, frames: [], follows: '' })
      blocks.at(-1)?.frames.push(...readFrame(text))
    } else if (block !== undefined && block.header === undefined && isOutside(line)) {
      block.header = readHeader(text)
    }
  }
  let decides = blocks.length - 1
  while (decides > 0 && blocks[decides]?.follows === 'cause') decides -= 1
  const block = blocks[decides]
  return {
    ...block?.header,
    is_cause: decides < blocks.length - 1,
    frames: block?.frames.toReversed() ?? [],
  }
}

const isOutside = (line: string): boolean => line !== '' && line.charCodeAt(0) !== 32

/** Reads `File "/app/cart.py", line 12, in add`. Comprehensions are skipped: Python 3.12 omits them. */
function readFrame(text: string): Frame[] {
  const end = text.indexOf('"', 6)
  const path = text.slice(6, end)
  const at = text.indexOf(', in ', end)
  const name = at < 0 ? '' : text.slice(at + 5)
  if (end < 0 || COMPREHENSIONS.has(name)) return []
  const isNamed = !name.startsWith('<')
  return [{ place: fileStem(path), name: isNamed ? name : '', is_app: isAppPython(path) }]
}

const COMPREHENSIONS = new Set(['<listcomp>', '<dictcomp>', '<setcomp>'])
