/**
 * Browser engines word the same error differently. This unifies the most frequent messages, so that
 * errors without a usable stack are grouped across browsers.
 */

/** Returns the common form of a message of one line; any other message is returned unchanged. */
export function engineMessage(message: string): string {
  if (message.length > 400) return message
  const property = readProperty(message)
  if (property !== undefined) return `cannot read '${property}' of nothing`
  if (NETWORK.has(message)) return 'fetch failed'
  if (message.startsWith("Can't find variable: ")) return `${message.slice(21)} is not defined`
  const call = message.indexOf(' is not a function. (In ')
  return call < 0 ? message : message.slice(0, call + 18)
}

/** The messages of Chrome, Firefox and Safari. */
const NETWORK = new Set([
  'Failed to fetch',
  'NetworkError when attempting to fetch resource.',
  'Load failed',
])

function readProperty(message: string): string | undefined {
  if (message.startsWith('Cannot read propert')) {
    return (
      between(message, "(reading '", "')") ?? between(message, "Cannot read property '", "' of ")
    )
  }
  if (message.startsWith("can't access property ")) return between(message, 'property "', '"')
  const evaluating = between(message, "is not an object (evaluating '", "')")
  if (evaluating === undefined || evaluating.includes('(')) return undefined
  return evaluating.slice(evaluating.lastIndexOf('.') + 1)
}

function between(text: string, before: string, after: string): string | undefined {
  const start = text.indexOf(before)
  if (start < 0) return undefined
  const end = text.indexOf(after, start + before.length)
  return end < 0 ? undefined : text.slice(start + before.length, end)
}
