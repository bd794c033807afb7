/**
 * Sessions of the web shop as browsers report them: one page loads and responds slowly, and a release
 * introduced an error.
 */
import type { Random } from '../../src/platform/random.ts'
import { DAY_MS, MINUTE_MS, type Span } from '../../world/time.ts'

export type Visit = {
  /** When the browser sent the events. */
  at: number
  session_id: string
  user_agent: string
  events: Record<string, unknown>[]
}

const VISITS_PER_DAY = 60
const VISITS_MIN = 40
const FCP_OF_LCP = 0.62
const SHOP = 'https://shop.northwind.example'

/** Medians in milliseconds except for CLS; `weight` is the frequency of views. */
const PAGES = [
  { name: 'Home', path: '/', weight: 5, lcp: 1_450, inp: 90, cls: 0.03, ttfb: 240 },
  { name: 'Offers', path: '/offers', weight: 4, lcp: 1_700, inp: 110, cls: 0.05, ttfb: 260 },
  { name: 'Product', path: '/products/', weight: 8, lcp: 1_900, inp: 130, cls: 0.06, ttfb: 290 },
  { name: 'Search', path: '/search', weight: 3, lcp: 4_600, inp: 560, cls: 0.14, ttfb: 1_150 },
  { name: 'Basket', path: '/basket', weight: 3, lcp: 1_500, inp: 150, cls: 0.04, ttfb: 230 },
  { name: 'Checkout', path: '/checkout', weight: 2, lcp: 1_850, inp: 170, cls: 0.02, ttfb: 310 },
] as const
type Page = (typeof PAGES)[number]

/** The share of the month at which the release was deployed, and its version. */
const RELEASE = { at_share: 0.78, version: '2026.11.2', before: '2026.11.1' } as const
const BROKEN_SHARE = 0.16

/** User agents with their weights; the first two are phones. */
const AGENTS = [
  [
    'Mozilla/5.0 (Linux; Android 15; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
    4,
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
    3,
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
    3,
  ],
  [
    'Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
    1,
  ],
] as const

export function visitsOf(random: Random, { span, scale }: { span: Span; scale: number }): Visit[] {
  const { start, end } = span
  const count = Math.round(VISITS_PER_DAY * scale * ((end - start) / DAY_MS))
  return Array.from({ length: Math.max(VISITS_MIN, count) }, (_, index) => {
    const own = random.fork(`${index}`)
    const begin = own.between(start, end - 4 * MINUTE_MS)
    return visitAt(own, { begin, index, passed: (begin - start) / (end - start) })
  }).toSorted((a, b) => a.at - b.at)
}

/** @param visit `passed` is the share of the month that has passed. */
export function visitAt(
  random: Random,
  { begin, index, passed }: { begin: number; index: number; passed: number },
): Visit {
  const agent = random.weighted(AGENTS, ([, weight]) => weight)
  const isPhone = AGENTS.indexOf(agent) < 2
  const session_id = `visit-${index.toString(36)}-${random.integer(100_000, 999_999)}`
  const version = passed < RELEASE.at_share ? RELEASE.before : RELEASE.version
  let at = Math.round(begin)
  const events: Visit['events'] = [{ type: 'session_start', timestamp: at, release: version }]
  for (let left = random.integer(1, 3); left > 0; left -= 1) {
    const page = random.weighted(PAGES, ({ weight }) => weight)
    at += random.integer(800, 4_000)
    events.push(...viewOf(random, page, { at, isPhone, index }))
    at += random.integer(3_000, 40_000)
    const isBroken =
      page.name === 'Product' && version === RELEASE.version && random.chance(BROKEN_SHARE)
    if (isBroken) events.push(errorOf(page, at, version))
  }
  return { at: at + 500, session_id, user_agent: agent[0], events }
}

function viewOf(
  random: Random,
  page: Page,
  { at, isPhone, index }: { at: number; isPhone: boolean; index: number },
): Visit['events'] {
  const product = page.name === 'Product' ? random.integer(1_000, 1_300) : ''
  const view = { name: page.name, url: `${SHOP}${page.path}${product}` }
  const around = (median: number) =>
    Math.round(median * (isPhone ? 1.25 : 0.9) * random.lognormal(0.35))
  const event = (type: string, after: number, details: object = {}) => ({
    type,
    timestamp: at + after,
    view,
    ...details,
  })
  const vital = (name: string, value: number, after: number) =>
    event('vital', after, { vital: { name, value, id: `v5-${at}-${name}-${index}` } })
  const events = [
    event('view', 0),
    vital('TTFB', around(page.ttfb), 20),
    vital('FCP', around(page.lcp * FCP_OF_LCP), 600),
    vital('LCP', around(page.lcp), 900),
  ]
  if (random.chance(0.7)) events.push(vital('INP', around(page.inp), 2_400))
  if (random.chance(0.6)) {
    events.push(vital('CLS', Math.round(page.cls * random.lognormal(0.5) * 1e4) / 1e4, 2_500))
  }
  if (random.chance(0.25)) {
    const target = random.pick(['add-to-basket', 'filter', 'next-page'])
    events.push(event('action', 2_000, { action: { type: 'click', target } }))
  }
  if (page.name === 'Search' && random.chance(0.5)) {
    events.push(event('long_task', 1_200, { long_task: { duration_ms: around(340) } }))
  }
  return events
}

const errorOf = (page: Page, at: number, version: string) => ({
  type: 'error',
  timestamp: at,
  view: { name: page.name, url: `${SHOP}${page.path}` },
  release: version,
  error: {
    type: 'TypeError',
    message: "Cannot read properties of undefined (reading 'unit_price')",
    stack: [
      "TypeError: Cannot read properties of undefined (reading 'unit_price')",
      `    at PriceTag (${SHOP}/assets/product-${version}.js:1:18422)`,
      `    at renderWithHooks (${SHOP}/assets/vendor.js:2:50113)`,
    ].join('\n'),
  },
})
