/** The address of single sign-on in the console API, and what its changes affect. */
export const PATH = '/console/api/organization/single-sign-on'
export const INVALIDATES = [PATH, '/console/api/me', '/console/api/audit', '/console/api/members']
