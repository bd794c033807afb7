/** Uses a separate database, because data keys belong to the installation, not to an organization. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { systemClock } from '../clock.ts'
import { createIds } from '../ids.ts'

import { installationSecret } from './installation-secrets.ts'
import { addMasterKey, dropMasterKeys, type MasterKeys, readMasterKeys } from './master-key.ts'
import { rotateMasterKeyFile } from './master-key-rotation.ts'
import { createSealer, SealedError } from './sealed.ts'
import { listDataKeys, lockDataKeys } from './store.ts'

const db = ownDatabase()
const folder = mkdtempSync(join(tmpdir(), 'vigil-sealed-'))

beforeEach(async () => {
  await sql`truncate data_keys, installation_secrets`.execute(db)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const newFolder = () => mkdtempSync(join(folder, 'data-'))
const base64Key = () => randomBytes(32).toString('base64')
const keysOf = (...configured: string[]) =>
  readMasterKeys({ configured: configured.join(','), data_dir: folder })
const newId = createIds()
const sealerWith = (masterKeys: MasterKeys) =>
  createSealer({ db, masterKeys, newId, clock: systemClock })

describe('sealed values', () => {
  it('open with their context, as text and as bytes, also on another node', async () => {
    const keys = keysOf(base64Key())
    const sealer = sealerWith(keys)
    const bytes = randomBytes(500)
    expect((await sealer.open(await sealer.seal('grüße', 'a:1'), 'a:1')).toString()).toBe('grüße')
    expect(await sealer.open(await sealer.seal(bytes, 'a:1'), 'a:1')).toEqual(bytes)
    expect((await sealer.open(await sealer.seal('', 'a:1'), 'a:1')).toString()).toBe('')
    const elsewhere = sealerWith(keys)
    expect(await elsewhere.open(await sealer.seal(bytes, 'a:1'), 'a:1')).toEqual(bytes)
  })

  it('contain no plain text, nor does the row of the data key', async () => {
    const master = base64Key()
    const sealer = sealerWith(keysOf(master))
    const sealed = await sealer.seal('correct horse battery staple', 'a:1')
    expect(sealed).toMatch(/^v1\.[0-9a-f-]{36}\.[\w-]+$/)
    const box = Buffer.from(sealed.split('.').at(2) ?? '', 'base64url')
    expect(box.includes('correct horse')).toBe(false)
    const [row] = await listDataKeys(db)
    expect(row?.wrapped_key).toHaveLength(12 + 32 + 16)
    expect(row?.wrapped_key.includes(Buffer.from(master, 'base64'))).toBe(false)
  })

  it('differ each time, even for the same text', async () => {
    const sealer = sealerWith(keysOf(base64Key()))
    expect(await sealer.seal('same', 'a:1')).not.toBe(await sealer.seal('same', 'a:1'))
  })

  it('do not open in another context', async () => {
    const sealer = sealerWith(keysOf(base64Key()))
    const sealed = await sealer.seal('secret', 'webhook:1')
    await expect(sealer.open(sealed, 'webhook:2')).rejects.toThrow(SealedError)
  })

  it('do not open after any byte was changed', async () => {
    const sealer = sealerWith(keysOf(base64Key()))
    const sealed = await sealer.seal('secret', 'a:1')
    const [version, id, text = ''] = sealed.split('.')
    const box = Buffer.from(text, 'base64url')
    for (let index = 0; index < box.length; index += 1) {
      const changed = Buffer.from(box)
      changed.writeUInt8((changed.readUInt8(index) + 1) % 256, index)
      const tampered = [version, id, changed.toString('base64url')].join('.')
      await expect(sealer.open(tampered, 'a:1')).rejects.toThrow('was changed')
    }
  })

  it('do not open when they are truncated, empty, or have an unknown format or data key', async () => {
    const sealer = sealerWith(keysOf(base64Key()))
    const sealed = await sealer.seal('secret', 'a:1')
    const foreign = sealed.replace(/[0-9a-f-]{36}/, newId(new Date()))
    const bad = ['', 'v1', 'v1..', sealed.slice(0, -30), `${sealed}.x`, `v2${sealed.slice(2)}`]
    for (const text of [...bad, foreign]) {
      await expect(sealer.open(text, 'a:1')).rejects.toThrow(SealedError)
    }
  })

  it('do not open with another master key, and the error names the key that is needed', async () => {
    const keys = keysOf(base64Key())
    const sealed = await sealerWith(keys).seal('secret', 'a:1')
    const stranger = sealerWith(keysOf(base64Key()))
    await expect(stranger.open(sealed, 'a:1')).rejects.toThrow(keys.current.id)
    await expect(stranger.seal('more', 'a:1')).rejects.toThrow(keys.current.id)
  })

  it('do not open when the data key was taken from another row', async () => {
    const keys = keysOf(base64Key())
    const sealed = await sealerWith(keys).seal('secret', 'a:1')
    const moved = newId(new Date())
    await sql`update data_keys set id = ${moved}`.execute(db)
    const forged = sealed.replace(/[0-9a-f-]{36}/, moved)
    await expect(sealerWith(keys).open(forged, 'a:1')).rejects.toThrow('was changed')
  })

  it('share one data key, even when many nodes start together', async () => {
    const keys = keysOf(base64Key())
    const all = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => await sealerWith(keys).seal(`${n}`, 'a:1')),
    )
    expect(await listDataKeys(db)).toHaveLength(1)
    const opened = await Promise.all(all.map((text) => sealerWith(keys).open(text, 'a:1')))
    expect(opened.map(String)).toEqual(all.map((_, n) => `${n}`))
  })
})

describe('wrapping a data key', () => {
  it('waits for a concurrent wrapping before a first sealing', async () => {
    const sealer = sealerWith(keysOf(base64Key()))
    const { waited, result } = await whileWrapping(() => sealer.seal('secret', 'a:1'))
    expect(waited).toBe(true)
    expect((await sealer.open(result, 'a:1')).toString()).toBe('secret')
  })

  it('waits for a concurrent wrapping before a rotation touches the file', async () => {
    const data_dir = newFolder()
    const keys = readMasterKeys({ data_dir })
    const before = keys.current
    const { waited } = await whileWrapping(
      () => rotateMasterKeyFile({ db, data_dir }),
      () => expect(keys.current).toEqual(before),
    )
    expect(waited).toBe(true)
    expect(keys.current.id).not.toBe(before.id)
  })
})

describe('rotation of a configured master key', () => {
  it('keeps old values readable by the new key alone, and is idempotent', async () => {
    const [old, next] = [base64Key(), base64Key()]
    const sealed = await sealerWith(keysOf(old)).seal('secret', 'a:1')
    const rotating = sealerWith(keysOf(next, old))
    expect(await rotating.rotate()).toEqual({ rewrapped: 1 })
    expect(await rotating.rotate()).toEqual({ rewrapped: 0 })
    expect((await sealerWith(keysOf(next)).open(sealed, 'a:1')).toString()).toBe('secret')
    await expect(sealerWith(keysOf(old)).open(sealed, 'a:1')).rejects.toThrow(SealedError)
  })

  it('changes nothing when one data key cannot be unwrapped', async () => {
    const [old, next] = [base64Key(), base64Key()]
    const sealed = await sealerWith(keysOf(old)).seal('secret', 'a:1')
    await sql`insert into data_keys (id, master_key_id, wrapped_key)
      values (${newId(new Date())}, 'lost', ${randomBytes(60)})`.execute(db)
    await expect(sealerWith(keysOf(next, old)).rotate()).rejects.toThrow('lost')
    expect((await sealerWith(keysOf(old)).open(sealed, 'a:1')).toString()).toBe('secret')
  })
})

describe('rotation of the master key in the data folder', () => {
  it('replaces the key under a running service, and keeps old values readable', async () => {
    const data_dir = newFolder()
    const running = readMasterKeys({ data_dir })
    const old = running.current
    const sealed = await sealerWith(running).seal('secret', 'a:1')

    expect(await rotateMasterKeyFile({ db, data_dir })).toEqual({ rewrapped: 1 })
    expect(running.current.id).not.toBe(old.id)
    expect(running.find(old.id)).toBeUndefined()
    expect((await sealerWith(running).open(sealed, 'a:1')).toString()).toBe('secret')
  })

  it('can be interrupted after the new key was written, and completed later', async () => {
    const data_dir = newFolder()
    const keys = readMasterKeys({ data_dir })
    const sealed = await sealerWith(keys).seal('secret', 'a:1')
    addMasterKey(data_dir)
    expect((await sealerWith(keys).open(sealed, 'a:1')).toString()).toBe('secret')
    await rotateMasterKeyFile({ db, data_dir })
    expect((await sealerWith(keys).open(sealed, 'a:1')).toString()).toBe('secret')
  })

  it('can be interrupted after the rewrapping, and completed later', async () => {
    const data_dir = newFolder()
    const keys = readMasterKeys({ data_dir })
    const old = keys.current
    const sealed = await sealerWith(keys).seal('secret', 'a:1')
    addMasterKey(data_dir)
    await sealerWith(keys).rotate()
    expect(keys.find(old.id)).toEqual(old)
    await rotateMasterKeyFile({ db, data_dir })
    expect(keys.find(old.id)).toBeUndefined()
    expect((await sealerWith(keys).open(sealed, 'a:1')).toString()).toBe('secret')
  })

  it('keeps the old key when the rewrapping fails', async () => {
    const data_dir = newFolder()
    const keys = readMasterKeys({ data_dir })
    const sealed = await sealerWith(keys).seal('secret', 'a:1')
    await sql`insert into data_keys (id, master_key_id, wrapped_key)
      values (${newId(new Date())}, 'lost', ${randomBytes(60)})`.execute(db)
    await expect(rotateMasterKeyFile({ db, data_dir })).rejects.toThrow('lost')
    expect((await sealerWith(keys).open(sealed, 'a:1')).toString()).toBe('secret')
  })

  it('loses nothing when two rotations run while other nodes seal for the first time', async () => {
    const data_dir = newFolder()
    const keys = readMasterKeys({ data_dir })
    const [sealed] = await Promise.all([
      Promise.all(Array.from({ length: 4 }, (_, n) => sealerWith(keys).seal(`${n}`, 'a:1'))),
      rotateMasterKeyFile({ db, data_dir }),
      rotateMasterKeyFile({ db, data_dir }),
    ])
    const opened = await Promise.all(sealed.map((text) => sealerWith(keys).open(text, 'a:1')))
    expect(opened.map(String)).toEqual(['0', '1', '2', '3'])
    dropMasterKeys(data_dir, new Set())
    expect(await sealerWith(keys).open(sealed[0] ?? '', 'a:1')).toEqual(Buffer.from('0'))
  })
})

describe('installation secrets', () => {
  it('are generated once, even when nodes start together, and differ by name', async () => {
    const keys = keysOf(base64Key())
    const secrets = await Promise.all(
      Array.from({ length: 6 }, () => installationSecret(db, sealerWith(keys), 'access_token', 32)),
    )
    expect(secrets[0]).toHaveLength(32)
    for (const secret of secrets) expect(secret).toEqual(secrets[0])
    const other = await installationSecret(db, sealerWith(keys), 'pepper', 32)
    expect(other).not.toEqual(secrets[0])
  })

  it('are sealed for their name, so that one cannot replace another', async () => {
    const sealer = sealerWith(keysOf(base64Key()))
    const secret = await installationSecret(db, sealer, 'one', 32)
    const { rows } = await sql<{ sealed: string }>`select sealed from installation_secrets`.execute(
      db,
    )
    expect(rows[0]?.sealed).not.toContain(secret.toString('base64url'))
    await sql`insert into installation_secrets select 'two', sealed from installation_secrets`.execute(
      db,
    )
    await expect(installationSecret(db, sealer, 'two', 32)).rejects.toThrow(SealedError)
  })
})

/** Starts the work while another transaction holds the lock, and returns whether it waited. */
async function whileWrapping<T>(
  work: () => Promise<T>,
  check: () => void = () => undefined,
): Promise<{ waited: boolean; result: T }> {
  const state = { done: false }
  let waited = false
  const started = await db.transaction().execute(async (tx) => {
    await lockDataKeys(tx)
    const working = work().finally(() => {
      state.done = true
    })
    while (!waited && !state.done) {
      const { rows } = await sql`select 1 from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`.execute(tx)
      waited = rows.length > 0
    }
    check()
    return { working }
  })
  return { waited, result: await started.working }
}
