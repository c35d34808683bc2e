const HOSTS = ['127.0.0.1', '[::1]', 'localhost'];

/** Whether the host of a URL is this machine. */
export const isLoopback = (hostname: string): boolean => HOSTS.includes(hostname);
