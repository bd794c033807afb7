/**
 * Many logs at once, made inside of the analytics engine: 29 days of them, in the shape of those of
 * `logs-entries.ts`, without spool and service.
 */
import { DEVICES } from './logs-entries.ts'

export type Fill = { org_id: string; from: number; to: number; now: Date }

/** Each is a partition; the window of a reading without dates holds all of them. */
const DAYS = 29
const DAY_MS = 86_400_000
const GROUPS = 200

/** In every other message, in some, and in one: `rareWord(number)` is that of the row of this number. */
export const COMMON_WORD = 'request'
export const PHRASE = 'connection reset by peer'
export const rareWord = (number: number): string => `w${number}`

/** One statement for each day, of rows numbered [from, to). Values are numbers and a UUID. */
export function fillStatements({ org_id, from, to, now }: Fill): string[] {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  return Array.from({ length: DAYS }, (_, day) => {
    const share = (to - from) / DAYS
    const first = from + Math.round(day * share)
    const count = from + Math.round((day + 1) * share) - first
    const begin = today - (DAYS - day) * DAY_MS
    return dayStatement(org_id, { first, count, begin })
  })
}

function dayStatement(
  org_id: string,
  { first, count, begin }: { first: number; count: number; begin: number },
): string {
  return `
    insert into edge_logs (org_id, mode, id, received_at, timestamp_ms, device_id, level, category,
      environment, message, error_type, error_code, error_stack, error_fingerprint, data, tags, trace_id)
    with cityHash64(number) as h, ${begin} + intDiv((number - ${first}) * ${DAY_MS}, ${count}) as at,
      h % 100 as share, share >= 93 as fails, intDiv(h, 1000) % 10 as say, number % ${GROUPS} as bug
    select toUUID('${org_id}'), 'live', generateUUIDv4(), fromUnixTimestamp64Milli(at),
      at - h % 60000,
      concat('device-', leftPad(toString(intDiv(h, 1000000) % ${DEVICES}), 4, '0')),
      multiIf(share < 20, 'debug', share < 80, 'info', share < 93, 'warn', share < 99, 'error', 'fatal'),
      arrayElement(['payment', 'printer', 'network', 'sync', 'ui', 'inventory'], h % 6 + 1),
      if(h % 10 = 0, 'staging', 'production'),
      concat(multiIf(
        fails, concat('${COMMON_WORD} to step', toString(bug), ' timed out after 5000 ms'),
        say < 5, concat('${COMMON_WORD} ', lower(hex(h % 4294967296)), ' answered with 200 in ', toString(h % 900), ' ms'),
        say < 6, concat('synchronised ', toString(h % 400), ' products with the head office, ${PHRASE}'),
        say < 8, concat('receipt printed on port ', toString(h % 8)),
        concat('heartbeat of the customer display took ', toString(h % 70), ' ms')
      ), ' w', toString(number)),
      if(fails, concat('Error', toString(bug % 20)), ''),
      if(fails, concat('E', toString(h % 40)), ''),
      if(fails, concat('Error: failed\\n    at handle (/app/src/step', toString(bug), '.js:10:12)\\n    at run (/app/src/main.js:3:1)'), ''),
      if(fails, lower(hex(MD5(toString(bug)))), ''),
      concat('{"shop":"shop-', toString(h % 300), '","cashier":', toString(h % 12), ',"firmware":"4.', toString(h % 5), '.1"}'),
      ['till', concat('region-', toString(h % 6))],
      lower(hex(h))
    from numbers(${first}, ${count})`
}
