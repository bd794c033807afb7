import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decodePayload, encodePayload } from './payload.ts'
import type { Payload } from './rows.ts'

const linesOf = (bytes: number): Buffer => {
  const line = '{"id":"0190a0b0-0000-7000-8000-000000000000","message":"paper is out – 종이"}\n'
  return Buffer.from(line.repeat(Math.ceil(bytes / line.length)))
}
const asLines = (rows: Buffer) => ({ rows, shape: undefined })
const decodedOf = async (payload: Payload) =>
  await decodePayload({ payload: await encodePayload(payload), bytes: payload.rows.length })
const decoded = async (lines: Buffer) => (await decodedOf(asLines(lines))).rows

describe('the payload of a spool row', () => {
  it.each([0, 100, 5000, 70_000, 17_000_000])(
    'of %d bytes is read as it was written',
    async (bytes) => {
      const lines = linesOf(bytes)
      expect(lines.equals(await decoded(lines))).toBe(true)
    },
  )

  it('is read as it was written when it cannot be compressed', async () => {
    const lines = Buffer.from(`"${randomBytes(200_000).toString('base64')}"\n`)
    expect(lines.equals(await decoded(lines))).toBe(true)
  })

  it('takes a fraction of the space when it is large, and is not compressed when it is small', async () => {
    const lines = linesOf(50_000)
    expect((await encodePayload(asLines(lines))).length).toBeLessThan(lines.length / 10)
    expect(await encodePayload(asLines(linesOf(500)))).toEqual(linesOf(500))
  })

  it('of an earlier version is read as it is', async () => {
    const payload = linesOf(50_000)
    expect((await decodePayload({ payload, bytes: payload.length })).rows).toBe(payload)
  })

  it.each([0, 100, 70_000])('of %d random bytes says that its rows are binary', async (bytes) => {
    const payload = { rows: randomBytes(bytes), shape: { fixed_bytes: 50, texts: 12, lists: 1 } }
    expect(await decodedOf(payload)).toEqual(payload)
  })

  it('that is damaged is an error', async () => {
    const payload = (await encodePayload(asLines(linesOf(50_000)))).subarray(0, 100)
    await expect(decodePayload({ payload, bytes: 50_000 })).rejects.toThrow()
  })
})
