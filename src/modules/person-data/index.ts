/** Deletion of the data of a person on request. */
export { personRoutes } from './console.ts'
export { faultOf, PERSON_MEMBERS, type PersonQuery } from './person.ts'
export type { PersonReport } from './schema.ts'
export { createPersonDeletion, type PersonDeletion } from './service.ts'
