/** What programs need that ask the analytics engine. */
export type { ClickHouse } from './client.ts'
export { openAnalytics } from './engine.ts'
