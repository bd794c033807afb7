/** Finds what needs attention in an organization. */
export { attentionRoutes } from './console.ts'
export { createAttention } from './service.ts'
