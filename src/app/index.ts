/** Composition of the program: the core, its parts, the HTTP server and the jobs. */
export { type Admin, openAdmin } from './admin.ts'
export { type Core, openCore } from './core.ts'
export { createHttp, type Http } from './http.ts'
export { startJobs } from './jobs.ts'
export { createParts, type Parts, type Services, servicesOf } from './parts.ts'
