import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { createLog, SECRET_FIELDS } from './log.ts'

const db = testDatabase()

function logged(level: string, write: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = []
  write(createLog(level, { write: (line) => void lines.push(line) }))
  return lines
}

describe('the log', () => {
  it('is one JSON object per line, with time and level and without host name or process id', () => {
    const [line = '', ...rest] = logged('info', (log) => log.info({ rows: 3 }, 'usage debited'))
    expect(rest).toEqual([])
    expect(line.endsWith('\n')).toBe(true)
    const { time, ...others } = JSON.parse(line) as { time: string }
    expect(new Date(time).toISOString()).toBe(time)
    expect(others).toEqual({ level: 30, rows: 3, msg: 'usage debited' })
  })

  it.each(SECRET_FIELDS)('redacts %s, up to two levels deep', (name) => {
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

  it('shows code and constraint of a database error, not the row', async () => {
    const id = randomUUID()
    const email = `${id}@secret.example`
    const insert = () =>
      db
        .insertInto('users')
        .values({ id: randomUUID(), email, password_hash: 'x', email_proved_at: new Date() })
        .execute()
    await insert()
    const error: unknown = await insert().catch((reason: unknown) => reason)
    expect((error as { detail?: string }).detail).toContain(email)
    const [line = ''] = logged('info', (log) => log.error({ err: error }, 'failed'))
    expect(line).not.toContain(email)
    const { err } = JSON.parse(line) as { err: Record<string, unknown> }
    expect(err).toMatchObject({ code: '23505', table: 'users' })
    const fields = ['type', 'message', 'code', 'table', 'constraint', 'stack']
    expect(Object.keys(err)).toEqual(fields)
  })

  it('leaves out entries below its level', () => {
    const lines = logged('warn', (log) => {
      log.info('not this')
      log.error('but this')
    })
    expect(lines.join('')).toMatch(/but this/)
    expect(lines).toHaveLength(1)
  })
})
