/** Parses server-sent events (WHATWG HTML, "Server-sent events") from text that arrives in chunks. */

export type StreamEvent = { event: string; data: string }

/** Far above the longest event that the service sends. */
const PENDING_MAX_CHARS = 4_194_304

/** @returns takes the next chunk and returns the completed events; throws when an event is too long */
export function createEventReader(): (chunk: string) => StreamEvent[] {
  let pending = ''
  return (chunk) => {
    pending += chunk
    const blocks = pending.split(/\r?\n\r?\n/)
    pending = blocks.pop() ?? ''
    if (pending.length > PENDING_MAX_CHARS) throw new Error('an event of the stream is too long')
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
