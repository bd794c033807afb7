/**
 * Divides the bytes of a TCP connection into syslog messages (RFC 6587): each begins with its length, or ends
 * with a line feed or NUL. Senders differ, so the first byte of each message decides.
 */

export type Framer = {
  push: (chunk: Buffer) => void
  /** A last message may have no end. */
  end: () => void
}

export type FramerOptions = {
  /** Receives at most this many bytes of a message; the others are skipped. */
  bytes_max: number
  onMessage: (bytes: Buffer, isCut: boolean) => void
  /** The bytes cannot be divided from here on. The framer ignores the rest. */
  onFault: (reason: string) => void
}

type State = 'between' | 'length' | 'counted' | 'line' | 'faulty'

/** A length with more digits is an error of the sender, and waiting for its bytes would block the connection. */
const LENGTH_DIGITS_MAX = 7
const [NUL, LINE_FEED, CARRIAGE_RETURN, SPACE, ZERO, NINE] = [0, 10, 13, 32, 48, 57]

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE
const isBetween = (byte: number): boolean =>
  byte === LINE_FEED || byte === NUL || byte === CARRIAGE_RETURN || byte === SPACE

export function createFramer({ bytes_max, onMessage, onFault }: FramerOptions): Framer {
  let state: State = 'between'
  let digits = ''
  /** Bytes of a counted message that have not arrived. */
  let missing = 0
  let pieces: Buffer[] = []
  let size = 0
  let isCut = false

  const take = (piece: Buffer): void => {
    const wanted = piece.subarray(0, bytes_max - size)
    if (wanted.length < piece.length) isCut = true
    if (wanted.length === 0) return
    // A copy, because the piece would hold the whole chunk in memory.
    pieces.push(Buffer.from(wanted))
    size += wanted.length
  }
  const finish = (): void => {
    const message = Buffer.concat(pieces)
    const wasCut = isCut
    state = 'between'
    pieces = []
    size = 0
    isCut = false
    if (message.length > 0) onMessage(message, wasCut)
  }
  const fault = (reason: string): void => {
    state = 'faulty'
    pieces = []
    onFault(reason)
  }
  const readLength = (chunk: Buffer, at: number): number => {
    let end = at
    while (end < chunk.length && isDigit(chunk[end] as number)) end += 1
    digits += chunk.toString('latin1', at, Math.min(end, at + LENGTH_DIGITS_MAX + 1))
    if (digits.length > LENGTH_DIGITS_MAX) fault('a length has more than 7 digits')
    else if (end < chunk.length && chunk[end] === SPACE) {
      missing = Number(digits)
      state = 'counted'
      return end + 1
    } else if (end < chunk.length) {
      // A line that begins with a number.
      take(Buffer.from(digits))
      state = 'line'
    }
    return end
  }
  const readCounted = (chunk: Buffer, at: number): number => {
    const piece = chunk.subarray(at, at + missing)
    take(piece)
    missing -= piece.length
    if (missing === 0) finish()
    return at + piece.length
  }
  const readLine = (chunk: Buffer, at: number): number => {
    const ends = [chunk.indexOf(LINE_FEED, at), chunk.indexOf(NUL, at)].filter((end) => end >= 0)
    const end = ends.length === 0 ? chunk.length : Math.min(...ends)
    take(chunk.subarray(at, end))
    if (end < chunk.length) finish()
    return end
  }
  const begin = (chunk: Buffer, at: number): number => {
    const byte = chunk[at] as number
    if (isBetween(byte)) return at + 1
    digits = ''
    state = isDigit(byte) && byte !== ZERO ? 'length' : 'line'
    return at
  }

  /** Each returns the place of the next byte. */
  const steps: Record<State, (chunk: Buffer, at: number) => number> = {
    between: begin,
    length: readLength,
    counted: readCounted,
    line: readLine,
    faulty: (chunk) => chunk.length,
  }

  return {
    push: (chunk) => {
      for (let at = 0; at < chunk.length; ) at = steps[state](chunk, at)
    },
    end: () => {
      if (state === 'length') take(Buffer.from(digits))
      if (state === 'counted') isCut = true
      if (state !== 'between' && state !== 'faulty') finish()
    },
  }
}
