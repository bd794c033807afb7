/** The first start and later ones, as root and as an ordinary user. */

import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import {
  createRoom,
  isLinux,
  isRoot,
  launch,
  NOBODY,
  type Room,
  run,
  serve,
  waitFor,
} from './program.ts'

const rooms: Room[] = []
const newRoom = (account?: { uid: number; gid: number }): Room => {
  const room = createRoom(account)
  rooms.push(room)
  return room
}
afterEach(async () => {
  for (const room of rooms.splice(0)) await room.close()
})

const accounts = [
  ...(isRoot ? [{ who: 'root', account: undefined }] : []),
  { who: 'an ordinary user', account: isRoot ? NOBODY : undefined },
]

describe.skipIf(!isLinux).each(accounts)('started by $who', ({ account }) => {
  it('prints organisation, owner, keys and a check that works when pasted, once', async () => {
    const { folder: cwd } = newRoom(account)
    const first = launch(['serve'], { cwd, account })
    const curl = await waitFor(first, () => /^curl .*$/m.exec(first.stdout())?.[0])
    expect(first.stdout()).toMatch(/organisation {2}[0-9a-f-]{36}\n/)
    expect(first.stdout()).toMatch(/owner {9}\S+@\S+\n {2}password {6}\S{20,}\n/)
    for (const prefix of ['sk_live_', 'sk_test_', 'pk_live_', 'pk_test_']) {
      expect(first.stdout().match(new RegExp(`^ {2}\\w+ +${prefix}\\w+$`, 'gm'))).toHaveLength(1)
    }
    const pasted = await run(['-c', curl], { cwd, program: 'sh' })
    const answer = JSON.parse(pasted.stdout) as { success: boolean; content: object }
    expect(answer).toMatchObject({
      success: true,
      content: { email: 'jane@mailinator.com', is_sandbox: true, risk_level: 'critical' },
    })
    first.child.kill('SIGTERM')
    expect((await first.ended).status).toBe(0)

    const second = await serve({ cwd, account })
    expect(second.ready.first_run).toBeUndefined()
    expect(second.stdout()).not.toMatch(/sk_|pk_|password/)
    expect((await second.stop()).status).toBe(0)
  })
})

describe.skipIf(!isLinux)('a start that is refused', () => {
  it('with a taken port makes nothing, so that the next start shows the keys', async () => {
    const { folder: cwd } = newRoom()
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const { port } = holder.address() as AddressInfo
    const refused = await run(['serve', '--json'], { cwd, env: { VIGIL_PORT: String(port) } })
    holder.close()
    expect(refused.status).toBe(1)
    expect(JSON.parse(refused.stdout)).toEqual({
      error: `Port ${port} on 127.0.0.1 is taken, perhaps by another Vigil. Stop that one, or set VIGIL_HOST and VIGIL_PORT.`,
    })
    const next = await serve({ cwd })
    expect(next.ready.first_run?.keys.live_secret).toMatch(/^sk_live_/)
    await next.stop()
  })

  it('says why in a sentence, without a stack or a secret', async () => {
    const { folder: cwd } = newRoom()
    const database = 'postgres://vigil:hunter2@127.0.0.1:1/vigil'
    const refusals: [Record<string, string>, RegExp][] = [
      [{ VIGIL_PORTT: '1' }, /^VIGIL_PORTT is not a setting of Vigil; did you mean VIGIL_PORT\?$/m],
      [{ VIGIL_DATA_DIR: '/dev/null/x' }, /^The data directory \/dev\/null\/x cannot be used: /m],
      [{ DATABASE_URL: database }, /^The database of DATABASE_URL cannot be used: connect ECONN/m],
      [{ VIGIL_MASTER_KEY: 'aHVudGVyMg==' }, /^VIGIL_MASTER_KEY must be 32 bytes in base64/m],
      [{ VIGIL_HOST: 'no-such-host.invalid' }, /^Cannot listen on port 0 of no-such-host\.inv/m],
    ]
    for (const [env, sentence] of refusals) {
      const { status, stdout, stderr } = await run(['serve'], { cwd, env })
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(stderr).toMatch(sentence)
      expect(stderr).not.toMatch(/^ {4}at |hunter2|aHVudGVyMg/m)
    }
  })

  it('by several wrong settings names them all, before anything is made', async () => {
    const { folder: cwd } = newRoom()
    const env = { VIGIL_PORT: '-1', VIGIL_LOG_LEVEL: 'loud', VIGIL_NONSENSE_AT_ALL: '' }
    const { stderr } = await run(['serve'], { cwd, env })
    expect(stderr.trim().split('\n')).toEqual([
      'VIGIL_NONSENSE_AT_ALL is not a setting of Vigil.',
      'VIGIL_PORT must be a whole number from 0 to 65535, not "-1".',
      'VIGIL_LOG_LEVEL must be one of fatal, error, warn, info, debug, not "loud".',
    ])
    expect(existsSync(join(cwd, 'data'))).toBe(false)
  })
})
