# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# mpirun.sh WORDS...: mpirun on this machine alone, also for root, with more ranks than cores, and without ssh.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm_rsh_agent=sh OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
exec mpirun "$@"
