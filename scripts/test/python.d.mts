export function directoriesOfPython(path?: string): string[];
