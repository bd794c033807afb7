/** What needs somebody's attention. */
export { type Attention, createAttention } from './service.ts'
