/** Lines of text over a socket. The lines of one turn of the event loop share a write. */
import type { Socket } from 'node:net'

/** @returns sends a line, which must not contain a line break */
export function openLines(socket: Socket, onLine: (line: string) => void): (line: string) => void {
  let lines: string[] = []
  let rest = ''
  const flush = () => {
    socket.write(`${lines.join('\n')}\n`)
    lines = []
  }
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) onLine(part)
  })
  return (line) => {
    lines.push(line)
    if (lines.length === 1) setImmediate(flush)
  }
}
