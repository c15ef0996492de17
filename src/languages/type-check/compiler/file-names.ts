/** The folder of the program and of what earlier ones of its session declared. */
export const SESSION_FOLDER = '/session/';
export const PROGRAM_FILE: string = `${SESSION_FOLDER}program.ts`;
export const GLOBALS_FILE = '/globals.d.ts';
export const TOOLS_FILE = '/tools.d.ts';
