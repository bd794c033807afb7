/** The first and later starts, as root and as an ordinary user. */
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isLinux, isRoot, launch, MAIN, NOBODY, run, serve, useRoom, waitFor } from './program.ts'

const newRoom = useRoom()

const accounts = [
  ...(isRoot ? [{ who: 'root', account: undefined }] : []),
  { who: 'an ordinary user', account: isRoot ? NOBODY : undefined },
]

describe.skipIf(!isLinux).each(accounts)('started by $who', ({ account }) => {
  it('stores an owner and keys in a file that it names until it is deleted', async () => {
    const { folder: cwd } = newRoom(account)
    const first = launch(['serve'], { cwd, account })
    const file = await waitFor(first, () => /^ {2}credentials +(\S+)$/m.exec(first.stdout())?.[1])
    const url = /API +(\S+)/.exec(first.stdout())?.[1] ?? ''
    expect(first.stdout() + first.stderr()).not.toMatch(/[sp]k_(live|test)_|curl/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const { keys, password } = JSON.parse(readFileSync(file, 'utf8')) as Credentials
    expect(password).toMatch(/^\S{20,}$/)
    expect(
      Object.values(keys)
        .map((key) => key.slice(0, 8))
        .toSorted(),
    ).toEqual(['pk_live_', 'pk_test_', 'sk_live_', 'sk_test_'])
    const answer = await fetch(`${url}/check`, {
      method: 'POST',
      headers: { 'x-api-key': keys['test_secret'] ?? '', 'content-type': 'application/json' },
      body: '{"email":"jane@mailinator.com","event_type":"signup"}',
    })
    expect(answer.status).toBe(200)
    first.child.kill('SIGTERM')
    expect((await first.ended).status).toBe(0)

    const second = await serve({ cwd, account })
    expect(second.ready.first_run).toBeUndefined()
    expect(second.ready.credentials_file).toBe(file)
    expect(second.stdout()).not.toMatch(/sk_|pk_|password/)
    const examined = await run(['doctor'], { cwd, account })
    expect(examined).toMatchObject({ status: 0 })
    expect(examined.stdout).toContain(`still in ${file}`)
    expect((await second.stop()).status).toBe(0)
    rmSync(file)
    const third = await serve({ cwd, account })
    expect(third.ready.credentials_file).toBeUndefined()
    expect((await third.stop()).status).toBe(0)
  })
})

const SCRIPT = '/usr/bin/script'

describe.skipIf(!isLinux || !existsSync(SCRIPT))('started at a terminal', () => {
  it('prints the owner, keys and a working example once, and stores none of them', async () => {
    const { folder: cwd } = newRoom()
    const command = `exec ${process.execPath} ${MAIN} serve`
    const first = launch(['-qec', command, '/dev/null'], { cwd, program: SCRIPT })
    const curl = await waitFor(first, () => /^curl .*$/m.exec(first.stdout())?.[0].trim())
    const shown = first.stdout().replaceAll('\r', '')
    expect(shown).toMatch(/organization {2}[0-9a-f-]{36}\n/)
    expect(shown).toMatch(/owner {9}\S+@\S+\n {2}password {6}\S{20,}\n/)
    for (const prefix of ['sk_live_', 'sk_test_', 'pk_live_', 'pk_test_']) {
      expect(shown.match(new RegExp(`^ {2}\\w+ +${prefix}\\w+$`, 'gm'))).toHaveLength(1)
    }
    expect(existsSync(join(cwd, 'data', 'first-start.json'))).toBe(false)
    const pasted = await run(['-c', curl], { cwd, program: 'sh' })
    expect(JSON.parse(pasted.stdout)).toMatchObject({
      success: true,
      content: { email: 'jane@mailinator.com', is_sandbox: true, risk_level: 'critical' },
    })
  })
})

type Credentials = { password: string; keys: Record<string, string> }

describe.skipIf(!isLinux)('a start that is refused', () => {
  it('because the port is in use creates nothing, so that the next start shows the keys', async () => {
    const { folder: cwd } = newRoom()
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const { port } = holder.address() as AddressInfo
    const refused = await run(['serve', '--json'], { cwd, env: { VIGIL_PORT: String(port) } })
    holder.close()
    expect(refused.status).toBe(1)
    expect(JSON.parse(refused.stdout)).toEqual({
      error: `Port ${port} on 127.0.0.1 is already in use, perhaps by another Vigil. Stop it, or set VIGIL_HOST and VIGIL_PORT.`,
    })
    const next = await serve({ cwd })
    expect(next.ready.first_run?.keys.live_secret).toMatch(/^sk_live_/)
    await next.stop()
  })

  it('reports the reason without a stack or a secret', async () => {
    const { folder: cwd } = newRoom()
    const database = 'postgres://vigil:hunter2@127.0.0.1:1/vigil'
    const refusals: [Record<string, string>, RegExp][] = [
      [{ VIGIL_PORTT: '1' }, /^VIGIL_PORTT is not a setting of Vigil; did you mean VIGIL_PORT\?$/m],
      [{ VIGIL_DATA_DIR: '/dev/null/x' }, /^The data directory \/dev\/null\/x cannot be used: /m],
      [
        { DATABASE_URL: database, VIGIL_POSTGRES_WAIT_SECONDS: '0' },
        /^The database of DATABASE_URL cannot be used: connect ECONN/m,
      ],
      [{ VIGIL_MASTER_KEY: 'aHVudGVyMg==' }, /^VIGIL_MASTER_KEY must be 32 bytes in base64/m],
      [{ VIGIL_HOST: 'no-such-host.invalid' }, /^Cannot listen on port 0 of no-such-host\.inv/m],
    ]
    for (const [env, message] of refusals) {
      const { status, stdout, stderr } = await run(['serve'], { cwd, env })
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(stderr).toMatch(message)
      expect(stderr).not.toMatch(/^ {4}at |hunter2|aHVudGVyMg/m)
    }
  })

  it('because of several wrong settings names all of them and creates nothing', async () => {
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
