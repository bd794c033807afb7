import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { readMasterKeys } from '../crypto/master-key.ts'
import { listBackups, newestBackup, pruneBackups } from './catalog.ts'
import { createDigest } from './digest.ts'
import { dataPrefix, readObject, type Summary, sealObject, summaryName } from './format.ts'
import { createBackupKey, openBackupKey } from './keys.ts'
import { createSegmentWriter, readSegments } from './segments.ts'
import { type BackupStore, createFolderStore, openBackupStore } from './store.ts'

const root = mkdtempSync(join(tmpdir(), 'vigil-backup-test-'))
afterAll(() => rmSync(root, { recursive: true }))

let store: BackupStore
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(root, 'store-'))
  store = createFolderStore(folder)
})

const ID = '20260301T120000Z-00000001'
const newMasterKeys = () =>
  readMasterKeys({ configured: randomBytes(32).toString('base64'), data_dir: root })
const NO_SOURCES = { masterKeys: undefined, passphrase: undefined }

describe('the key of a backup', () => {
  it('is opened by the master key or by the passphrase', async () => {
    const masterKeys = newMasterKeys()
    const passphrase = 'correct horse battery staple'
    const { key, wrapped } = await createBackupKey(ID, { masterKeys, passphrase })
    expect(await openBackupKey(ID, wrapped, { ...NO_SOURCES, masterKeys })).toEqual(key)
    expect(await openBackupKey(ID, wrapped, { ...NO_SOURCES, passphrase })).toEqual(key)
    expect(JSON.stringify(wrapped)).not.toContain(masterKeys.current.key.toString('base64'))
  })

  it('is not opened by other keys, and the error names the key that is needed', async () => {
    const masterKeys = newMasterKeys()
    const { wrapped } = await createBackupKey(ID, { masterKeys, passphrase: undefined })
    const needed = `master key with the id ${masterKeys.current.id}`
    for (const sources of [NO_SOURCES, { ...NO_SOURCES, masterKeys: newMasterKeys() }]) {
      await expect(openBackupKey(ID, wrapped, sources)).rejects.toThrow(needed)
    }
  })

  it('is not opened for another backup', async () => {
    const masterKeys = newMasterKeys()
    const { wrapped } = await createBackupKey(ID, { masterKeys, passphrase: undefined })
    const other = openBackupKey('20260301T120000Z-00000002', wrapped, { ...NO_SOURCES, masterKeys })
    await expect(other).rejects.toThrow('cannot be opened')
  })
})

describe('an object of a backup', () => {
  const key = randomBytes(32)
  const name = `${dataPrefix(ID)}000001`
  const plain = Buffer.from('a row\n'.repeat(1000))

  it('is refused when a bit is changed, when it is shortened, and when it is missing', async () => {
    const box = await sealObject(key, name, plain)
    await store.put(name, box)
    expect(await readObject(store, { id: ID, key, name })).toEqual(plain)
    const changed = Buffer.from(box)
    changed[40] = (changed[40] ?? 0) ^ 1
    for (const bytes of [changed, box.subarray(0, -1), box.subarray(0, 10), Buffer.alloc(0)]) {
      await store.put(name, bytes)
      await expect(readObject(store, { id: ID, key, name })).rejects.toThrow('changed or shortened')
    }
    await store.remove(name)
    await expect(readObject(store, { id: ID, key, name })).rejects.toThrow('is missing')
  })

  it('is refused under the name of another one', async () => {
    const other = `${dataPrefix(ID)}000002`
    await store.put(other, await sealObject(key, name, plain))
    await expect(readObject(store, { id: ID, key, name: other })).rejects.toThrow('changed')
  })

  it('shows nothing of its content', async () => {
    const secret = randomBytes(64).toString('hex')
    const box = await sealObject(key, name, Buffer.from(secret))
    expect(box.includes(secret.slice(0, 8))).toBe(false)
  })
})

describe('segments', () => {
  it('return the rows that were added, in their order', async () => {
    let number = 0
    const key = randomBytes(32)
    const sink = { store, id: ID, key, nextNumber: () => (number += 1) }
    const writer = createSegmentWriter(sink)
    const rows = Array.from({ length: 9 }, (_, index) =>
      Buffer.concat([Buffer.alloc(3_000_000 + index, 97 + index), Buffer.from('\n')]),
    )
    for (const row of rows) await writer.add(row)
    // One row alone can be larger than a segment.
    const large = Buffer.concat([Buffer.alloc(17_000_000, 65), Buffer.from('\n')])
    await writer.addLines(large)
    const content = await writer.end()
    expect(content.segments.length).toBe(3)
    expect(content.segments.map((segment) => segment.rows)).toEqual([5, 4, 1])
    const read: Buffer[] = []
    for await (const plain of readSegments(store, { id: ID, key }, content)) read.push(plain)
    expect(Buffer.concat(read).equals(Buffer.concat([...rows, large]))).toBe(true)
    const digest = createDigest()
    for (const plain of read) digest.addLines(plain)
    expect(digest.value()).toEqual({ rows: 10, digest: content.digest })
  })
})

describe('a digest', () => {
  const of = (...rows: string[]) => {
    const digest = createDigest()
    for (const row of rows) digest.add(Buffer.from(row))
    return digest.value()
  }

  it('does not depend on the order, but on every row and its number', () => {
    expect(of('a\n', 'b\n', 'c\n')).toEqual(of('c\n', 'a\n', 'b\n'))
    const all = [of('a\n'), of('a\n', 'a\n'), of('a\n', 'b\n'), of('b\n'), of(), of('ab\n')]
    expect(new Set(all.map(({ digest }) => digest)).size).toBe(all.length)
  })
})

describe('the backups of a store', () => {
  const add = async (id: string, isComplete = true) => {
    await store.put(`${dataPrefix(id)}000001`, Buffer.from('x'))
    const summary: Summary = {
      format: 'vigil-backup',
      format_version: 1,
      id,
      vigil_version: '1',
      taken_at: '2026-03-01T12:00:00.000Z',
      finished_at: '2026-03-01T12:00:01.000Z',
      bytes: 1,
      rows: 1,
      logs: false,
      keys: [],
    }
    if (isComplete) await store.put(summaryName(id), Buffer.from(JSON.stringify(summary)))
  }
  const idOf = (day: number) => `202603${String(day).padStart(2, '0')}T120000Z-0000000${day % 10}`
  const NOW = new Date('2026-03-20T12:00:00Z')

  it('are listed by age, and incomplete ones separately', async () => {
    for (const day of [3, 1, 2]) await add(idOf(day))
    await add(idOf(4), false)
    const { complete, incomplete } = await listBackups(store)
    expect(complete.map(({ id }) => id)).toEqual([1, 2, 3].map(idOf))
    expect(incomplete).toEqual([idOf(4)])
    expect((await newestBackup(store))?.id).toBe(idOf(3))
  })

  it('are deleted when they are too old, except the newest three', async () => {
    for (const day of [1, 2, 3, 4, 15]) await add(idOf(day))
    const options = { retention_days: 10, now: NOW }
    expect(await pruneBackups(store, options)).toEqual([1, 2].map(idOf))
    expect(await pruneBackups(store, options)).toEqual([])
    expect((await listBackups(store)).complete.map(({ id }) => id)).toEqual([3, 4, 15].map(idOf))
    expect(readdirSync(join(folder, 'data')).toSorted()).toEqual([3, 4, 15].map(idOf))
  })

  it('are not deleted without a retention, except those that never became complete', async () => {
    for (const day of [1, 2, 3, 4]) await add(idOf(day))
    await add(idOf(5), false)
    await add(idOf(19), false)
    expect(await pruneBackups(store, { retention_days: 0, now: NOW })).toEqual([idOf(5)])
    expect((await listBackups(store)).incomplete).toEqual([idOf(19)])
  })
})

describe('a store', () => {
  const NONE = {
    endpoint: undefined,
    region: 'r',
    access_key_id: undefined,
    secret_access_key: undefined,
  }

  it('in a folder accepts no names outside of it', async () => {
    await expect(store.get('../other')).rejects.toThrow('not a name')
  })

  it('at an S3 address needs its credentials', () => {
    expect(() => openBackupStore('s3://bucket/prefix', NONE)).toThrow('ACCESS_KEY_ID')
  })
})
