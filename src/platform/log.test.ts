import { describe, expect, it } from 'vitest'
import { createLog, SECRET_FIELDS } from './log.ts'

function logged(level: string, write: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = []
  write(createLog(level, { write: (line) => void lines.push(line) }))
  return lines
}

describe('the log', () => {
  it('is one JSON object per line, with time and level and without the machine', () => {
    const [line = '', ...rest] = logged('info', (log) => log.info({ rows: 3 }, 'usage debited'))
    expect(rest).toEqual([])
    expect(line.endsWith('\n')).toBe(true)
    const { time, ...others } = JSON.parse(line) as { time: string }
    expect(new Date(time).toISOString()).toBe(time)
    expect(others).toEqual({ level: 30, rows: 3, msg: 'usage debited' })
  })

  it.each(SECRET_FIELDS)('never shows what is called %s, up to two levels down', (name) => {
    const secret = { [name]: 'hunter2' }
    const lines = logged('info', (log) => {
      log.info(secret, 'at the top')
      log.info({ headers: secret }, 'below')
      log.info({ request: { headers: secret } }, 'further down')
    })
    expect(lines).toHaveLength(3)
    for (const line of lines) {
      expect(line).not.toContain('hunter2')
      expect(line).toContain('[redacted]')
    }
  })

  it('leaves out what is less severe than its level', () => {
    const lines = logged('warn', (log) => {
      log.info('not this')
      log.error('but this')
    })
    expect(lines.join('')).toMatch(/but this/)
    expect(lines).toHaveLength(1)
  })
})
