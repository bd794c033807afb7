/** Server-sent events (WHATWG HTML, "Server-sent events"), read from pieces of text as they arrive. */

export type StreamEvent = { event: string; data: string }

/** An event that has no end is no event of ours. */
const WAITING_MAX_CHARS = 4_194_304

/** @returns takes the next piece, answers the events that it completes; throws when one is too long */
export function createEventReader(): (piece: string) => StreamEvent[] {
  let waiting = ''
  return (piece) => {
    waiting += piece
    const blocks = waiting.split(/\r?\n\r?\n/)
    waiting = blocks.pop() ?? ''
    if (waiting.length > WAITING_MAX_CHARS) throw new Error('an event of the stream is too long')
    return blocks.flatMap(eventOf)
  }
}

function eventOf(block: string): StreamEvent[] {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'event') event = value
    if (name === 'data') data.push(value)
  }
  return data.length === 0 ? [] : [{ event, data: data.join('\n') }]
}
