/** Tests crashes: incomplete files, full disks, and processes that are killed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { buildSync } from 'esbuild'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { entriesIn } from './fake-service.ts'
import { openSegments, type Segments } from './segments.ts'

const open = (folder: string): Segments =>
  openSegments({ folder, entries_max: 1_000, bytes_max: 1_000_000, onFault: () => undefined })

const readAll = (segments: Segments): string[] =>
  segments.sealed().flatMap((segment) => segments.read(segment).lines)

describe('the files of the buffer', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'edge-segments-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('have every complete line and no incomplete one, wherever they are truncated', async () => {
    const lines = ['{"a":1}', '{"text":"é€😀"}', '{"b":{"c":"}\\n{"}}', '{}']
    const source = join(folder, 'source')
    writeFileSync(source, lines.map((line) => `${line}\n`).join(''))
    const content = readFileSync(source)
    const name = `000000000007-abc.ndjson`
    for (let length = 0; length <= content.length; length += 1) {
      copyFileSync(source, join(folder, name))
      truncateSync(join(folder, name), length)
      const complete = content.subarray(0, length).toString().split('\n').length - 1
      const segments = open(folder)
      expect(readAll(segments)).toEqual(lines.slice(0, complete))
      expect(segments.totals().entries).toBe(complete)
      segments.append('{"new":1}\n')
      await segments.close()
      expect(readAll(open(folder))).toEqual([...lines.slice(0, complete), '{"new":1}'])
      for (const file of readdirSync(folder)) {
        if (file.endsWith('.ndjson')) rmSync(join(folder, file))
      }
    }
  })

  it('yield no entry for invalid lines, and their number', () => {
    const name = '000000000001-abc.ndjson'
    writeFileSync(join(folder, name), '{"a":1}\n\0\0\0\0\n{"a":\n7\n{"a":2}\n{"to')
    const segments = open(folder)
    const [segment] = segments.sealed()
    if (!segment) throw new Error('No segment')
    expect(segments.read(segment)).toEqual({ lines: ['{"a":1}', '{"a":2}'], unreadable: 4 })
  })

  it('are not changed by the next process, and have unique names', async () => {
    const first = open(folder)
    first.append('{"a":1}\n')
    await first.close()
    const before = readdirSync(folder)
    const second = open(folder)
    second.append('{"a":2}\n')
    await second.close()
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(before))
    expect(second.sealed().map(({ name }) => name.slice(0, 12))).toEqual([
      '000000000001',
      '000000000002',
    ])
    for (const segment of second.sealed().slice()) second.remove(segment)
    const third = open(folder)
    third.append('{"a":3}\n')
    await third.close()
    expect(before).not.toContain(third.sealed()[0]?.name)
  })

  it('of refused batches are stored up to a limit', async () => {
    const segments = open(folder)
    for (let n = 0; n < 25; n += 1) {
      segments.append(`{"n":${n}}\n`)
      segments.seal()
    }
    for (const segment of segments.sealed().slice()) segments.reject(segment)
    await segments.close()
    const files = readdirSync(join(folder, 'rejected'))
    expect(files.map((name) => Number.parseInt(name, 10))).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 6),
    )
  })
})

describe('an agent that is killed', () => {
  let folder: string
  let server: Server
  let stored: Set<string>
  let bodies: Set<string>
  let duplicates: number
  let mode: 'available' | 'unavailable' | 'silent'
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'edge-killed-'))
    buildSync({
      entryPoints: [join(import.meta.dirname, 'bin.ts')],
      outfile: join(folder, 'bin.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
    })
  })
  afterAll(() => rmSync(folder, { recursive: true }))
  beforeEach(async () => {
    stored = new Set()
    bodies = new Set()
    duplicates = 0
    mode = 'available'
    server = createServer((request, response) => {
      void buffer(request).then((bytes) => {
        if (mode === 'unavailable') return response.writeHead(503).end()
        if (request.url === '/v1/edge/logs') store(gunzipSync(bytes).toString())
        // A batch that is stored without an answer is repeated with the same bytes.
        if (mode === 'silent') return response.destroy()
        return response.end('{"success":true,"message":"","content":{}}')
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const store = (body: string): void => {
    if (bodies.has(body)) return
    bodies.add(body)
    for (const { message } of entriesIn(body)) {
      if (stored.has(message)) duplicates += 1
      stored.add(message)
    }
  }
  /** `limit` is a shell command that runs before the program. */
  const startProgram = (limit = ':') => {
    const { port } = server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/v1`
    const data = join(folder, 'data')
    const program = [process.execPath, join(folder, 'bin.mjs')]
    return spawn(
      'sh',
      [
        '-c',
        `${limit}; exec "$@"`,
        'sh',
        ...program,
        '--url',
        url,
        '--device',
        'terminal',
        '--folder',
        data,
      ],
      {
        env: { ...process.env, VIGIL_API_KEY: 'sk_test_1' },
        stdio: ['pipe', 'ignore', 'ignore'],
      },
    )
  }
  /** Returns the messages on disk. */
  const written = (): string[] => {
    const data = join(folder, 'data')
    if (!existsSync(data)) return []
    return readdirSync(data)
      .filter((name) => name.endsWith('.ndjson'))
      .flatMap((name) => readFileSync(join(data, name), 'utf8').split('\n').slice(0, -1))
      .map((line) => (JSON.parse(line) as { message: string }).message)
  }

  it('neither loses nor duplicates entries, and the next one takes over its folder', async () => {
    let count = 0
    for (let round = 0; round < 6; round += 1) {
      mode = (['available', 'unavailable', 'silent'] as const)[round % 3] ?? 'available'
      const program = startProgram()
      const ended = once(program, 'exit')
      program.stdin.on('error', () => undefined)
      // In some rounds, the process is killed while entries are written, in others while they are sent.
      for (let chunk = 0; chunk < 4 + round; chunk += 1) {
        for (let n = 0; n < 500; n += 1) program.stdin.write(`message ${(count += 1)}\n`)
        await new Promise((done) => setTimeout(done, 60 * (round % 4)))
      }
      const target = count - 1_000
      while (![...stored, ...written()].includes(`message ${target}`)) {
        await new Promise((done) => setTimeout(done, 20))
      }
      program.kill('SIGKILL')
      await ended
      mode = 'available'
      const accepted = new Set([...stored, ...written()])
      const last = startProgram()
      const closed = once(last, 'exit')
      last.stdin.end()
      expect(await closed).toEqual([0, null])
      expect(written()).toEqual([])
      expect([...accepted].filter((message) => !stored.has(message))).toEqual([])
    }
    expect(duplicates).toBe(0)
    expect(stored.size).toBeGreaterThan(4_000)
  }, 60_000)

  it('stores complete lines on a disk that fails repeatedly', async () => {
    // The limit of 16 blocks per file interrupts writes in the middle of a line.
    mode = 'unavailable'
    const program = startProgram('ulimit -f 16')
    const ended = once(program, 'exit')
    for (let n = 0; n < 2_000; n += 1) program.stdin.write(`message ${n}\n`)
    program.stdin.end()
    expect(await ended).toEqual([0, null])
    const files = readdirSync(join(folder, 'data')).filter((name) => name.endsWith('.ndjson'))
    expect(files.length).toBeGreaterThan(5)
    for (const file of files) {
      expect(readFileSync(join(folder, 'data', file), 'utf8').endsWith('\n')).toBe(true)
    }
    mode = 'available'
    const next = startProgram()
    const closed = once(next, 'exit')
    next.stdin.end()
    expect(await closed).toEqual([0, null])
    const numbers = [...stored].map((message) => Number(message.slice('message '.length)))
    expect(numbers.length).toBeGreaterThan(1_900)
    expect(numbers.length).toBeLessThan(2_000)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    expect(duplicates).toBe(0)
    expect(written()).toEqual([])
  })

  it('sends its entries and exits with 0 on SIGTERM', async () => {
    const program = startProgram()
    const ended = once(program, 'exit')
    program.stdin.write('first\n{"level":50,"msg":"second","code":7}\n')
    while (![...stored, ...written()].includes('second')) {
      await new Promise((done) => setTimeout(done, 20))
    }
    program.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect([...stored]).toEqual(['first', 'second'])
    expect([...bodies].join()).toContain('"level":"error","message":"second"')
    expect(readdirSync(join(folder, 'data'))).toEqual([])
  })
})
