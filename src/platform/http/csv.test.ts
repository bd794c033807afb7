import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { createBareServer, describeBare } from '../../../test/support/bare-server.ts'
import type { App } from './app.ts'
import { type CsvColumn, type CsvPace, csvLine, csvResponses, sendCsv } from './csv.ts'

/** A parser of RFC 4180 that is independent of the writer. */
function parse(text: string): string[][] {
  const records: string[][] = []
  let record: string[] = []
  let cell = ''
  let isQuoted = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (isQuoted) {
      if (char !== '"') cell += char
      else if (text.charAt(at + 1) === '"') {
        cell += '"'
        at += 1
      } else isQuoted = false
    } else if (char === '"') isQuoted = true
    else if (char === ',') {
      record.push(cell)
      cell = ''
    } else if (char === '\r' && text.charAt(at + 1) === '\n') {
      records.push([...record, cell])
      record = []
      cell = ''
      at += 1
    } else cell += char
  }
  if (record.length > 0 || cell !== '') throw new Error('the last record has no line break')
  return records
}

const text = fc.string({
  unit: fc.constantFrom(
    'a',
    'ü',
    '😀',
    '"',
    ',',
    '\r',
    '\n',
    ';',
    ' ',
    '\t',
    '=',
    '+',
    '-',
    '@',
    "'",
  ),
})
/** Neutralizes formulas in every place where any spreadsheet might start a cell. */
function harmless(value: string): string {
  let escaped = ''
  for (let index = 0; index < value.length; index += 1) {
    const char = value.charAt(index)
    const begins = index === 0 || ';\t\r\n'.includes(value.charAt(index - 1))
    const isFormula = '=+-@＝＋－＠'.includes(char) || (index === 0 && '\t\r\n'.includes(char))
    escaped += begins && isFormula ? `'${char}` : char
  }
  return escaped
}

describe('a line of CSV', () => {
  it('RFC 4180: is parsed into the same cells, whatever characters they contain', () => {
    const lines = fc.array(fc.array(text, { minLength: 1, maxLength: 4 }), { maxLength: 5 })
    fc.assert(
      fc.property(lines, (table) => {
        const read = parse(table.map(csvLine).join(''))
        const expected = table.map((cells) => cells.map(harmless))
        expect(read).toEqual(expected)
      }),
    )
  })

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t1', '\r1', '\n1', '＝1', '＋1', '－1', '＠A'])(
    'is not a formula to a spreadsheet: %j',
    (value) => {
      expect(parse(csvLine(['x', value]))).toEqual([['x', `'${value}`]])
    },
  )

  it.each([
    ['Till;=1+1;', "Till;'=1+1;"],
    ['Till\t@A', "Till\t'@A"],
    ['a\r\n=1', "a\r\n'=1"],
    ['\t=1', "'\t'=1"],
    ['a;＝1', "a;'＝1"],
    ['a; b-c', 'a; b-c'],
  ])('nor to one that splits cells at semicolons or tabs: %j', (value, escaped) => {
    expect(parse(csvLine(['x', value]))).toEqual([['x', escaped]])
  })

  it('has plain numbers, times in UTC, and empty cells for null', () => {
    const time = new Date('2026-03-01T12:00:00.000Z')
    expect(csvLine([-5, true, time, null, ''])).toBe('-5,true,2026-03-01T12:00:00.000Z,,\r\n')
  })

  it('is not blank when its only cell is empty', () => {
    expect(csvLine([null])).toBe('""\r\n')
  })
})

type Row = { number: number; text: string }
const COLUMNS: CsvColumn<Row>[] = [
  { name: 'number', cell: ({ number }) => number },
  { name: 'text', cell: (row) => row.text },
]
const NOW = new Date('2026-03-01T23:59:59.000Z')
const PAGE_ROWS = 1000
const PAGES = 50

const pageOf = (page: number): Row[] =>
  Array.from({ length: PAGE_ROWS }, (_, index) => ({
    number: page * PAGE_ROWS + index,
    text: 'x'.repeat(1000),
  }))

type Served = {
  app: App
  open: () => Promise<IncomingMessage>
  read: { pages: number }
  /** Bytes of the last response that are buffered and not yet sent. */
  waiting: () => number
}

describe('a table sent as CSV', () => {
  const apps: App[] = []
  afterEach(async () => {
    await Promise.all(apps.splice(0).map(async (app) => await app.close()))
  })

  /** A server of such a table, which counts the pages it has read. */
  async function serve(
    pages: (read: { pages: number }) => AsyncIterable<Row[]>,
    pace: Partial<CsvPace> = {},
  ): Promise<Served> {
    const app = createBareServer()
    const read = { pages: 0 }
    let waiting = () => 0
    const response = csvResponses('Numbers', 'number,text\r\n')
    app.get('/table', { config: { access: 'public' }, schema: { response } }, async (_, reply) => {
      const table = { name: 'numbers', columns: COLUMNS, pages: pages(read) }
      const { raw } = reply
      waiting = () => raw.writableLength + (raw.socket?.writableLength ?? 0)
      return await sendCsv(reply, table, { now: NOW, ...pace })
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    apps.push(app)
    const { port } = app.server.address() as AddressInfo
    const open = async () => {
      const request = get({ host: '127.0.0.1', port, path: '/table', agent: false })
      const [answer] = (await once(request, 'response')) as [IncomingMessage]
      return answer
    }
    return { app, open, read, waiting: () => waiting() }
  }

  async function* fullPages(read: { pages: number }): AsyncGenerator<Row[], void> {
    for (let page = 0; page < PAGES; page += 1) {
      await turn()
      read.pages += 1
      yield pageOf(page)
    }
  }

  it('is a file with a name, a header and every row', async () => {
    const { app } = await serve(async function* (read) {
      for await (const rows of fullPages(read)) {
        if (read.pages > 3) return
        yield rows
      }
    })
    const { statusCode, headers, body } = await app.inject('/table')
    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="numbers-2026-03-01.csv"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    const [header, ...rows] = parse(body)
    expect(header).toEqual(['number', 'text'])
    expect(rows.map(([number]) => Number(number))).toEqual(
      Array.from({ length: 3 * PAGE_ROWS }, (_, index) => index),
    )
  })

  it('has its header even without rows', async () => {
    const { app } = await serve(() => Readable.from([]))
    expect((await app.inject('/table')).body).toBe('number,text\r\n')
  })

  it('that cannot be read at all is answered like any failure', async () => {
    const { app } = await serve(async function* (read) {
      for await (const rows of fullPages(read)) {
        if (read.pages === 1) throw new Error('the database is down')
        yield rows
      }
    })
    const { statusCode, headers, body } = await app.inject('/table')
    expect(statusCode).toBe(500)
    expect(headers['content-type']).toMatch(/^application\/json/)
    expect(headers['content-disposition']).toBeUndefined()
    expect(JSON.parse(body)).toEqual({ success: false, message: 'Internal server error' })
  })

  it('that cannot be read to its end never looks complete', async () => {
    const { open } = await serve(async function* (read) {
      for await (const rows of fullPages(read)) {
        if (read.pages === 5) throw new Error('the database is down')
        yield rows
      }
    })
    const answer = await open()
    expect(answer.statusCode).toBe(200)
    const reading = async () => {
      for await (const _ of answer);
    }
    await expect(reading()).rejects.toThrow('aborted')
    expect(answer.complete).toBe(false)
  })

  it('is read no further than the client has received it, except for data in flight', async () => {
    const { open, read } = await serve(fullPages)
    const answer = await open()
    answer.pause()
    await settled(() => read.pages)
    expect(read.pages).toBeLessThan(PAGES / 2)
    let bytes = 0
    for await (const chunk of answer) bytes += (chunk as Buffer).length
    expect(bytes).toBeGreaterThan(PAGES * PAGE_ROWS * 1000)
    expect(read.pages).toBe(PAGES)
  })

  it('is read no further when the client has disconnected', async () => {
    let hasEnded = false
    const { open, read } = await serve(async function* (pages) {
      try {
        yield* fullPages(pages)
      } finally {
        hasEnded = true
      }
    })
    const answer = await open()
    answer.destroy()
    await expect.poll(() => hasEnded).toBe(true)
    expect(read.pages).toBeLessThan(PAGES)
  })

  it('is abandoned when the client disconnects during the first page', async () => {
    let hasEnded = false
    const long = pageOf(0).map((row) => ({ ...row, text: 'x'.repeat(30_000) }))
    const { open, read } = await serve(async function* (pages) {
      try {
        yield long
        yield* fullPages(pages)
      } finally {
        hasEnded = true
      }
    })
    const answer = await open()
    answer.pause()
    await settled(() => read.pages)
    answer.destroy()
    await expect.poll(() => hasEnded).toBe(true)
    expect(read.pages).toBeLessThanOrEqual(1)
  })

  it('is cut off when the client stops reading', async () => {
    let hasEnded = false
    const { open } = await serve(
      async function* (pages) {
        try {
          yield* fullPages(pages)
        } finally {
          hasEnded = true
        }
      },
      { stalled_ms: 50 },
    )
    const answer = await open()
    answer.on('error', () => undefined).pause()
    await expect.poll(() => hasEnded).toBe(true)
  })

  it('is cut off when the client reads too slowly', async () => {
    let hasEnded = false
    const pace = { min_bytes_per_minute: 1e9, budget_ms: 100 }
    const { open } = await serve(async function* (pages) {
      try {
        yield* fullPages(pages)
      } finally {
        hasEnded = true
      }
    }, pace)
    const answer = await open()
    answer.on('error', () => undefined).pause()
    const drip = setInterval(() => void answer.read(100), 5)
    await expect
      .poll(() => hasEnded)
      .toBe(true)
      .finally(() => clearInterval(drip))
    answer.resume()
    await expect.poll(() => answer.destroyed).toBe(true)
    expect(answer.complete).toBe(false)
  })

  it('may take longer to read than the server waits for the client', async () => {
    const pace = { min_bytes_per_minute: 65_536, budget_ms: 400 }
    const { open } = await serve(async function* (read) {
      for await (const rows of fullPages(read)) {
        await sleep(200)
        yield rows
        if (read.pages === 4) return
      }
    }, pace)
    const answer = await open()
    for await (const _ of answer);
    expect(answer.complete).toBe(true)
  })

  it('is sent in pieces, however large a page is', async () => {
    const { open, waiting } = await serve(async function* (read) {
      for await (const _ of fullPages(read))
        yield Array.from({ length: 20 }, (__, page) => pageOf(page)).flat()
    })
    const answer = await open()
    answer.on('error', () => undefined).pause()
    await settled(waiting)
    // The 20 MB of the page do not fit into the socket's buffers.
    expect(waiting()).toBeGreaterThan(0)
    expect(waiting()).toBeLessThan(400_000)
    answer.destroy()
  })

  it('holds no rows while the server waits for the client', async () => {
    const collect = collector()
    const rows: WeakRef<Row[]>[] = []
    const { open } = await serve(() => ({
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          await turn()
          const page = pageOf(rows.length)
          rows.push(new WeakRef(page))
          return { done: false as const, value: page }
        },
      }),
    }))
    const answer = await open()
    answer.on('error', () => undefined).pause()
    await settled(() => rows.length)
    collect()
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.filter((page) => page.deref() !== undefined)).toEqual([])
    answer.destroy()
  })

  it('takes constant memory, at 50,000 rows', async () => {
    const collect = collector()
    const heaps: number[] = []
    const { open } = await serve(async function* (read) {
      for await (const rows of fullPages(read)) {
        yield rows
        if (read.pages === 5 || read.pages === PAGES - 5) {
          collect()
          heaps.push(process.memoryUsage().heapUsed)
        }
      }
    })
    for await (const _ of await open());
    const [early = Number.NaN, late = Number.NaN] = heaps
    // The table has 50 MB.
    expect(late - early).toBeLessThan(20e6)
  })
})

it('a route that sends a table is described as one', async () => {
  const app = createBareServer()
  await describeBare(app)
  const response = csvResponses('Numbers', 'number,text\r\n')
  const schema = { operationId: 'getTable', summary: 'Numbers', response }
  app.get('/v1/table', { config: { access: 'public' }, schema }, () => '')
  await app.ready()
  const { paths } = app.swagger() as unknown as { paths: Record<string, { get: object }> }
  expect(paths['/table']?.get).toMatchObject({
    responses: {
      200: {
        description: 'Numbers',
        content: { 'text/csv': { schema: { type: 'string', examples: ['number,text\r\n'] } } },
      },
      403: { content: { 'application/json': {} } },
    },
  })
  await app.close()
})

function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

/** Waits until a number no longer changes. */
async function settled(read: () => number): Promise<void> {
  let last = -1
  for (let same = 0; same < 200; ) {
    await turn()
    same = read() === last ? same + 1 : 0
    last = read()
  }
}
