import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type S3Emulator, startS3 } from '../../../emulators/s3.ts'
import { createS3Store } from './s3.ts'

const ACCESS = {
  bucket: 'copies',
  access_key_id: 'key-id',
  secret_access_key: 'very secret',
  region: 'eu-test-1',
}
let s3: S3Emulator
beforeAll(async () => {
  s3 = await startS3({ ...ACCESS, page_size: 2 })
})
afterAll(async () => await s3.close())
beforeEach(() => s3.objects.clear())

const open = (changed: Partial<typeof ACCESS> = {}) =>
  createS3Store({ ...ACCESS, endpoint: s3.url, prefix: 'one/', ...changed })

describe('a bucket', () => {
  it('returns the bytes that were stored, and nothing for other names', async () => {
    const store = open()
    const bytes = Buffer.from([0, 255, 10, 13, 128])
    await store.put("data/a b+c&d(e)'é", bytes)
    expect(await store.get("data/a b+c&d(e)'é")).toEqual(bytes)
    expect(await store.get('data/other')).toBeUndefined()
    expect([...s3.objects.keys()]).toEqual(["one/data/a b+c&d(e)'é"])
  })

  it('lists names with a prefix over several pages, and none of other prefixes', async () => {
    const store = open()
    for (const name of ['data/1', 'data/2', 'data/3', 'data/4&5', 'other/1']) {
      await store.put(name, Buffer.from(name))
    }
    const other = open()
    await createS3Store({ ...ACCESS, endpoint: s3.url, prefix: 'two/' }).put(
      'data/9',
      Buffer.alloc(1),
    )
    expect(await other.list('data/')).toEqual([
      { name: 'data/1', bytes: 6 },
      { name: 'data/2', bytes: 6 },
      { name: 'data/3', bytes: 6 },
      { name: 'data/4&5', bytes: 8 },
    ])
  })

  it('deletes, also what does not exist', async () => {
    const store = open()
    await store.put('a', Buffer.from('a'))
    await store.remove('a')
    await store.remove('a')
    expect(await store.list('')).toEqual([])
  })

  it('is used again after errors that may pass', async () => {
    s3.failNext(2)
    await open().put('a', Buffer.from('a'))
    expect(s3.objects.get('one/a')?.toString()).toBe('a')
  })

  it('refuses wrong credentials with an error that does not show them', async () => {
    const put = open({ secret_access_key: 'another secret' }).put('a', Buffer.from('a'))
    await expect(put).rejects.toThrow(/failed \(PUT\): 403 SignatureDoesNotMatch$/)
    await expect(open({ access_key_id: 'stranger' }).get('a')).rejects.toThrow('InvalidAccessKeyId')
  })

  it('that does not exist is an error', async () => {
    const store = open({ bucket: 'missing' })
    await expect(store.put('a', Buffer.from('a'))).rejects.toThrow('bucket missing does not exist')
    await expect(store.list('')).rejects.toThrow('bucket missing does not exist')
  })
})
