/** One search over what the modules can find. */
export { searchRoutes } from './console.ts'
export { createSearch } from './service.ts'
