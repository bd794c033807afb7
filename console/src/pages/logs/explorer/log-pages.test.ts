import { describe, expect, it, vi } from 'vitest'
import { createLogPages } from './log-pages.ts'

type Asked = {
  page: number
  signal: AbortSignal
  answer: (total?: number) => void
  fail: () => void
}

function createList(options: { weightOf?: (row: string) => number; weight_max?: number } = {}) {
  const asked: Asked[] = []
  let changes = 0
  const pages = createLogPages<string>({
    page_size: 10,
    settle_ms: 0,
    weightOf: () => 1,
    weight_max: 1_000_000,
    onChange: () => {
      changes += 1
    },
    load: (page, signal) =>
      new Promise((resolve, reject) => {
        const rows = Array.from({ length: 10 }, (_, index) => `row ${(page - 1) * 10 + index}`)
        const answer = (total = 1_000_000) => resolve({ rows, total })
        asked.push({ page, signal, answer, fail: () => reject(new Error('away')) })
      }),
    ...options,
  })
  const settled = async (done: () => boolean) => await vi.waitUntil(done, { interval: 1 })
  const answerAll = async () => {
    const before = changes
    const open = asked.filter(({ signal }) => !signal.aborted)
    for (const { answer } of open) answer()
    await settled(() => changes > before)
  }
  return { pages, asked, settled, answerAll, changes: () => changes }
}

describe('a long list', () => {
  it('asks for the page of what is looked at, wherever that is', async () => {
    const { pages, asked, settled, answerAll } = createList()
    expect([pages.total(), pages.rowAt(0)]).toEqual([undefined, undefined])
    await answerAll()
    expect([pages.total(), pages.rowAt(9), pages.rowAt(10)]).toEqual([
      1_000_000,
      'row 9',
      undefined,
    ])
    pages.show(777_775, 777_782)
    await settled(() => asked.length === 3)
    expect(asked.map(({ page }) => page)).toEqual([1, 77_778, 77_779])
    await answerAll()
    await settled(() => pages.rowAt(777_782) !== undefined)
    expect(pages.rowAt(777_775)).toBe('row 777775')
  })

  it('gives up what left the view before it was there, and asks once for what is under way', async () => {
    const { pages, asked, settled, answerAll } = createList()
    await answerAll()
    pages.show(100, 105)
    await settled(() => asked.length === 2)
    pages.show(100, 109)
    pages.show(5000, 5005)
    await settled(() => asked.length === 3)
    expect(asked.map(({ page, signal }) => [page, signal.aborted])).toEqual([
      [1, false],
      [11, true],
      [501, false],
    ])
  })

  it('forgets what was not looked at for long, never what is in view', async () => {
    const { pages, asked, settled } = createList({ weightOf: () => 10, weight_max: 250 })
    asked[0]?.answer()
    await settled(() => pages.total() !== undefined)
    for (const page of [2, 3, 4]) {
      pages.show((page - 1) * 10, page * 10 - 1)
      await settled(() => asked.length === page)
      asked.at(-1)?.answer()
      await settled(() => pages.rowAt((page - 1) * 10) !== undefined)
    }
    expect([0, 10, 20, 30].map((row) => pages.rowAt(row) !== undefined)).toEqual([
      false,
      false,
      true,
      true,
    ])
  })

  it('tells why a page is not there, and asks again when told to', async () => {
    const { pages, asked, settled, answerAll, changes } = createList()
    asked[0]?.fail()
    await settled(() => changes() === 1)
    expect([pages.total(), String(pages.error())]).toEqual([undefined, 'Error: away'])
    pages.retry()
    await answerAll()
    expect([pages.total(), pages.error()]).toEqual([1_000_000, undefined])
  })

  it('that is closed changes no more', async () => {
    const { pages, asked, settled, changes } = createList()
    asked[0]?.answer()
    await settled(() => changes() === 1)
    pages.show(50, 55)
    await settled(() => asked.length === 2)
    pages.close()
    asked[1]?.answer()
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect([changes(), asked[1]?.signal.aborted]).toEqual([1, true])
  })
})
