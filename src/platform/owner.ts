/** Live and test data never mix; every row of the product has a mode. */
export type Mode = 'live' | 'test'

/** The organization and mode that own a row. */
export type Owner = { org_id: string; mode: Mode }
