export const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))
